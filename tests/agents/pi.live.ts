import { pi } from "./agents/pi.ts";
import { testAgent } from "./suite.ts";
import { testSupervised } from "./supervised.ts";

testAgent(pi);
testSupervised(pi);
