import { captureTests } from "../testing/suite.ts";
import { pi } from "./index.ts";

captureTests(pi, import.meta.dirname, "key");
