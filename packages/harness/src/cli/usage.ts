import { HarnessError } from "../base/errors.ts";

/** The command line is wrong in a way that its parser does not see: the program exits with 2. */
export class UsageError extends HarnessError {}
