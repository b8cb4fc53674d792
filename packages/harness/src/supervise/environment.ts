/** A process's variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What a run takes over from the daemon's own environment: who and where it is, its language, terminal and certificates.
 * Everything else, credentials above all, reaches a run only through its `env_file`, or by name through `inherit_env`.
 */
const INHERITED = [
  "COLORTERM",
  "HOME",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "LOGNAME",
  "NODE_EXTRA_CA_CERTS",
  "PATH",
  "SHELL",
  "SSH_AUTH_SOCK",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_*",
];

/** Set last, so that nothing overrides them: they also mark every process of the run as this daemon's. */
export interface RunMarks {
  harness: string;
  runId: number;
  trigger: string;
  /** What fired, where that has a name. */
  source?: string;
  eventFile?: string;
  stateDir: string;
}

/** Exactly what a run's process is given. Later wins: what is inherited of the daemon's, the entries of the env files, the run's marks. */
export const runEnvironment = (
  daemon: Variables,
  entries: Variables,
  marks: RunMarks,
  inherited: readonly string[] = INHERITED,
): Record<string, string> => ({
  ...given(Object.entries(daemon).filter(([name]) => isInherited(name, inherited))),
  ...given(Object.entries(entries)),
  ...markVariables(marks),
});

export const markVariables = ({
  harness,
  runId,
  trigger,
  source,
  eventFile,
  stateDir,
}: RunMarks): Record<string, string> => ({
  HARNESS_NAME: harness,
  HARNESS_RUN_ID: String(runId),
  HARNESS_RUN_TRIGGER: trigger,
  ...(source !== undefined && { HARNESS_RUN_SOURCE: source }),
  ...(eventFile !== undefined && { HARNESS_EVENT_FILE: eventFile }),
  HARNESS_STATE_DIR: stateDir,
});

/** `inherited`: names, or beginnings of names that end in `*`. */
export const isInherited = (name: string, inherited: readonly string[] = INHERITED): boolean =>
  inherited.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each));

const given = (entries: readonly [string, string | undefined][]): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
