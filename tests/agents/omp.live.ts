import { omp } from "./agents/omp.ts";
import { testAgent } from "./suite.ts";
import { testSupervised } from "./supervised.ts";

testAgent(omp);
testSupervised(omp);
