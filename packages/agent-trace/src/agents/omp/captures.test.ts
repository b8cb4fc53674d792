import { captureTests } from "../testing/suite.ts";
import { omp } from "./index.ts";

captureTests(omp, import.meta.dirname, "key");
