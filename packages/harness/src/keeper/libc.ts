import { closeSync, constants, openSync, readdirSync } from "node:fs";
import koffi from "koffi";

/**
 * The few calls of the C library that Node does not offer, bound when the keeper starts. Constants are Linux's, equal on
 * every architecture that Node 24 runs on.
 */
const libc = koffi.load(null);
const pipe2 = libc.func("int pipe2(_Out_ int *fds, int flags)");
const fcntl = libc.func("int fcntl(int fd, int command, int argument)");
const dup2 = libc.func("int dup2(int from, int to)");
const prctl = libc.func(
  "int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)",
);
const ioctl = libc.func("int ioctl(int fd, unsigned long request, _In_ uint16_t *size)");
const openpt = libc.func("int posix_openpt(int flags)");
const grantpt = libc.func("int grantpt(int fd)");
const unlockpt = libc.func("int unlockpt(int fd)");
const ptsname = libc.func("int ptsname_r(int fd, _Out_ uint8_t *name, size_t length)");
const waitpid = libc.func("int waitpid(int pid, _Out_ int *status, int options)");

const O_CLOEXEC = 0o2000000;
const F_GETFD = 1;
const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
const TIOCSWINSZ = 0x5414;
/** Longest name of a terminal, with room to spare: `/dev/pts/` and a number. */
const PTS_NAME_BYTES = 64;

export interface PipeEnds {
  readEnd: number;
  writeEnd: number;
}

/** A real pipe, which Node's own `pipe` stdio is not: a child can open `/dev/stdout` on it. No child inherits it. */
export const createPipe = (): PipeEnds => {
  const ends = [-1, -1];
  // koffi writes into the array it is given, so both entries are descriptors after a zero.
  if (pipe2(ends, O_CLOEXEC) !== 0) throw systemError("pipe2");
  const [readEnd = -1, writeEnd = -1] = ends;
  return { readEnd, writeEnd };
};

export interface Terminal {
  /** Ours: what the child writes is read here, what is written here is its input. */
  master: number;
  /** The child's end, as a path. */
  name: string;
}

/**
 * A terminal of a size. The master is born close-on-exec: no child, of a terminal or of pipes, ever sees a sibling's, and
 * whoever is on it is hung up when we end.
 */
export const openTerminal = (size: { cols: number; rows: number }): Terminal => {
  const master = openpt(constants.O_RDWR | constants.O_NOCTTY | O_CLOEXEC);
  if (master < 0) throw systemError("posix_openpt");
  try {
    if (grantpt(master) !== 0) throw systemError("grantpt");
    if (unlockpt(master) !== 0) throw systemError("unlockpt");
    const name = Buffer.alloc(PTS_NAME_BYTES);
    if (ptsname(master, name, name.length) !== 0) throw systemError("ptsname_r");
    resizeTerminal(master, size);
    return { master, name: name.toString("utf8", 0, name.indexOf(0)) };
  } catch (error) {
    closeSync(master);
    throw error;
  }
};

/** Where the size is another than before, the foreground group of the terminal gets SIGWINCH. */
export const resizeTerminal = (master: number, { cols, rows }: { cols: number; rows: number }): void => {
  if (ioctl(master, TIOCSWINSZ, [rows, cols, 0, 0]) !== 0) throw systemError("ioctl TIOCSWINSZ");
};

/** Orphans of the children become ours, so that we hear of their end. */
export const becomeSubreaper = (): void => {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) !== 0) throw systemError("prctl");
};

/** Takes the status of one child that has ended; never waits. */
export const reap = (pid: number): void => {
  waitpid(pid, [0], WNOHANG);
};

/**
 * Closes what our own start handed down to us: it must reach no child, and must not be kept open for as long as we live.
 * Node opens everything of its own so that it does not survive an exec; what would is not Node's.
 */
export const closeInherited = (): void => {
  for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
    if (descriptor > 2 && fcntl(descriptor, F_GETFD, 0) === 0) closeSync(descriptor);
  }
};

/** Points our three standard descriptors at `/dev/null`: nobody reads them once the keeper has started. */
export const detachStandardStreams = (): void => {
  const nowhere = openSync("/dev/null", constants.O_RDWR);
  for (const standard of [0, 1, 2]) dup2(nowhere, standard);
  if (nowhere > 2) closeSync(nowhere);
};

const systemError = (call: string): Error & { code?: string } => {
  const errno = koffi.errno();
  const name = Object.entries(koffi.os.errno).find(([, value]) => value === errno)?.[0];
  return Object.assign(new Error(`${call} failed: ${name ?? `errno ${errno}`}`), name ? { code: name } : {});
};
