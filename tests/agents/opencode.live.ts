import { opencode } from "./agents/opencode.ts";
import { testAgent } from "./suite.ts";
import { testSupervised } from "./supervised.ts";

testAgent(opencode);
testSupervised(opencode);
