import { join } from "node:path";
import type { Ending } from "./model/script.ts";
import type { Scenario } from "./scenario.ts";

const ok: Ending = { outcome: "ok" };

const plainAnswer: Scenario = {
  name: "a plain answer",
  prompt: "Say hello.",
  end: "answered",
  script: () => ({
    main: [{ text: "Hello, as the script has it.", usage: { input: 1200, output: 45, cacheRead: 300 } }],
  }),
};

/** The longest of them. */
export const toolCalls: Scenario = {
  name: "calls that read, edit and run, two of which fail",
  prompt: "Make greeting.txt, change it, and report.",
  end: "answered",
  script: ({ tools }, work) => {
    const file = join(work, "greeting.txt");
    return {
      main: [
        {
          text: "First a command.",
          calls: [tools.shell("echo from-the-shell && pwd", ok)],
          usage: { input: 1200, output: 45, cacheWrite5m: 900 },
        },
        {
          text: "Now a file.",
          calls: [tools.write(file, "good morning\nsecond line", ok)],
          usage: { input: 80, output: 50, cacheRead: 900, cacheWrite5m: 120 },
        },
        { calls: [tools.read(file, ok)], usage: { input: 60, output: 30, cacheRead: 1020 } },
        {
          text: "Change it.",
          calls: [tools.edit(file, "good morning", "good evening", ok)],
          usage: { input: 65, output: 35, cacheRead: 1020 },
        },
        {
          text: "This command fails.",
          calls: [
            tools.shell("echo trouble >&2; exit 3", {
              outcome: "error",
              exitCode: 3,
              errorKind: "exit_nonzero",
            }),
          ],
          usage: { input: 70, output: 25, cacheRead: 1020 },
        },
        {
          text: "There is no such file.",
          calls: [tools.read(join(work, "missing.txt"), { outcome: "error" })],
          usage: { input: 75, output: 26, cacheRead: 1100 },
        },
        {
          thinking: "Let me sum up what happened.",
          text: "The greeting is changed; one command failed and one file was missing.",
          usage: { input: 90, output: 40, cacheRead: 1100, reasoning: 12 },
        },
      ],
    };
  },
};

const parallelCalls: Scenario = {
  name: "two calls in one response, the second of which ends first",
  prompt: "Run two commands at once.",
  end: "answered",
  script: ({ tools }) => ({
    main: [
      {
        text: "Two at once.",
        calls: [tools.shell("sleep 0.6; echo first", ok), tools.shell("echo second", ok)],
        usage: { input: 500, output: 60 },
      },
      { text: "Both are done.", usage: { input: 120, output: 15, cacheRead: 600 } },
    ],
  }),
};

const rateLimited: Scenario = {
  name: "a rate limit that passes",
  prompt: "Say hello when you can.",
  end: "answered",
  script: () => ({
    main: [
      {
        text: "Here I am.",
        usage: { input: 130, output: 9 },
        failure: {
          status: 429,
          message: "Rate limit reached, please try again in 1s",
          times: 2,
          retryAfterSeconds: 1,
        },
      },
    ],
  }),
};

const serverError: Scenario = {
  name: "a server error that passes, after a call",
  prompt: "Run a command, then say hello.",
  end: "answered",
  script: ({ tools }) => ({
    main: [
      { text: "A command.", calls: [tools.shell("echo before", ok)], usage: { input: 140, output: 20 } },
      {
        text: "It works again.",
        usage: { input: 150, output: 8, cacheRead: 140 },
        failure: { status: 500, message: "Internal server error", times: 2 },
      },
    ],
  }),
};

const unauthorized: Scenario = {
  name: "a key that is refused",
  prompt: "Say hello.",
  end: "refused",
  script: () => ({
    main: [
      {
        text: "Never said.",
        usage: { input: 1, output: 1 },
        failure: { status: 401, message: "invalid api key" },
      },
    ],
  }),
};

const helper: Scenario = {
  name: "a sub-agent",
  prompt: "Let a helper count.",
  end: "answered",
  modelOf: ({ helper: { model } = {}, ...agent }) => model ?? agent.model,
  script: ({ tools, helper: starter }, work) => {
    const words = "Count the lines of notes.md for me.";
    const calls = starter?.calls(words);
    if (calls === undefined) return undefined;
    return {
      main: [
        ...calls.map((call, index) => ({
          text: `Step ${index + 1} with the helper.`,
          calls: [call],
          usage: { input: 700 + index, output: 60 + index, cacheRead: 100 },
        })),
        { text: "The helper counted three.", usage: { input: 110, output: 13, cacheRead: 800 } },
      ],
      helper: {
        words,
        answers: [
          {
            text: "Counting.",
            calls: [tools.shell("expr 1 + 2", ok)],
            usage: { input: 210, output: 22 },
          },
          {
            calls: [tools.read(join(work, "no-such-file.md"), { outcome: "error" })],
            usage: { input: 215, output: 21 },
          },
          { text: "notes.md has 3 lines.", usage: { input: 220, output: 9, cacheRead: 210 } },
        ],
      },
    };
  },
};

const interrupted: Scenario = {
  name: "an interrupt while a command runs",
  prompt: "Run a long command.",
  end: "interrupted",
  interruptOn: "started",
  script: ({ tools }) => ({
    main: [
      {
        text: "First a short one.",
        calls: [tools.shell("echo short", ok)],
        usage: { input: 300, output: 31 },
      },
      {
        text: "Now a long one.",
        calls: [tools.shell("touch started; sleep 20", { outcome: "interrupted" })],
        usage: { input: 310, output: 32, cacheRead: 300 },
      },
    ],
  }),
};

/** What every agent is put through, as far as it can. */
export const scenarios: readonly Scenario[] = [
  plainAnswer,
  toolCalls,
  parallelCalls,
  rateLimited,
  serverError,
  unauthorized,
  helper,
  interrupted,
];
