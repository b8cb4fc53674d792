/** What the service manager starts. */
export interface ServicePlan {
  /** Absolute path of the program. */
  program: string;
  /** Its arguments. */
  args: readonly string[];
  /** What the daemon and its runs need to find agents; nothing else of the environment is written down. */
  env: Readonly<Record<string, string>>;
}

/** A word in a unit file: in quotes, with `%` and `$` kept from systemd. */
const unitWord = (text: string): string =>
  `"${text
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$")}"`;

/** An assignment is not searched for variables. */
const unitAssignment = (name: string, value: string): string =>
  `"${name}=${value.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll("%", "%%")}"`;

/**
 * A systemd user unit. `KillMode=process`: a stop of the service ends the daemon alone, and the daemon decides what becomes of its
 * runs; when it crashed, the keeper holds them for the next one.
 */
export const systemdUnit = ({ program, args, env }: ServicePlan): string =>
  [
    "[Unit]",
    "Description=Harness, the supervisor of coding agents",
    "",
    "[Service]",
    `ExecStart=${[program, ...args].map(unitWord).join(" ")}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${unitAssignment(name, value)}`),
    "KillMode=process",
    "Restart=on-failure",
    "RestartSec=2",
    "UMask=0077",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A launchd agent; `AbandonProcessGroup` is what `KillMode=process` is to systemd. */
export const launchdPlist = (
  label: string,
  { program, args, env }: ServicePlan,
): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${[program, ...args].map((word) => `    <string>${xml(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(env)
  .map(([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>`)
  .join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`;
