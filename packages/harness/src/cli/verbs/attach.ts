import { HarnessError } from "../../base/errors.ts";
import { attach as attachTo, DaemonError, type Attachment } from "../../client/index.ts";
import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { followRun } from "../follow.ts";
import { detachKeys } from "../keys.ts";

export interface AttachVerbOptions {
  name: string;
  /** Look only. */
  ro: boolean;
}

/**
 * Puts a harness's terminal onto this one until ctrl-b d, or until the run ends. A run without a terminal is shown by its
 * record instead, as it grows.
 */
export const attach = async (context: Context, { name, ro }: AttachVerbOptions): Promise<number> => {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new HarnessError("bad_request", "attach needs a terminal for its input and output.", {
      hint: `for the screen as text: harness capture ${name}`,
    });
  }
  try {
    return await onTerminal(context, name, ro);
  } catch (error) {
    if (!(error instanceof DaemonError && error.code === "no_terminal")) throw error;
    const live = await liveRun(context, name);
    if (live === undefined) throw error;
    return followRun(context, live);
  }
};

const liveRun = async (context: Context, name: string) => {
  const [run] = await ask(context, (client) => client.call("runs", { names: [name], limit: 1 }));
  return run?.outcome === "running" ? run : undefined;
};

const onTerminal = async (context: Context, name: string, readOnly: boolean): Promise<number> => {
  const { stdin, stdout } = process;
  const size = () => ({ cols: stdout.columns, rows: stdout.rows });
  const attachment = await attachTo({
    socket: context.paths.socket,
    name: "harness attach",
    request: { name, readOnly },
    size: size(),
    output: (bytes) => stdout.write(bytes),
  });
  const resize = (): void => attachment.resize(size());
  stdout.on("resize", resize);
  const restore = typing(attachment);
  try {
    const reason = await attachment.ended;
    restore();
    context.err.write(reason === undefined ? `detached from ${name}\n` : `${name}: ${reason}\n`);
    return 0;
  } finally {
    restore();
    stdout.off("resize", resize);
    stdin.pause();
  }
};

/** Everything a program may have switched on in the operator's terminal, off again. */
const RESTORE =
  "\u001b[?1049l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[?1004l\u001b[!p\u001b[?25h\u001b[0m\r\n";

/** Sends what is typed, unbuffered; the returned function gives the terminal back, once. */
const typing = (attachment: Attachment): (() => void) => {
  const { stdin, stdout } = process;
  const keys = detachKeys();
  const typed = (bytes: Buffer): void => {
    const { pass, detach } = keys.typed(bytes);
    if (pass.length > 0) attachment.input(pass);
    if (detach) attachment.detach();
  };
  let restored = false;
  stdin.setRawMode(true);
  stdin.on("data", typed);
  return () => {
    if (restored) return;
    restored = true;
    stdin.off("data", typed);
    stdin.setRawMode(false);
    stdout.write(RESTORE);
  };
};
