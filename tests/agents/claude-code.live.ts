import { claudeCode } from "./agents/claude-code.ts";
import { testAgent } from "./suite.ts";
import { testSupervised } from "./supervised.ts";

testAgent(claudeCode);
testSupervised(claudeCode);
