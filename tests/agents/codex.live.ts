import { codex } from "./agents/codex.ts";
import { testAgent } from "./suite.ts";
import { testSupervised } from "./supervised.ts";

testAgent(codex);
testSupervised(codex);
