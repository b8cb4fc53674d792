import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";
import { launchdPlist, systemdUnit, type ServicePlan } from "../service/units.ts";
import { styled } from "../style.ts";

const LABEL = "dev.harness.daemon";

/** Where a service manager looks for a user's services, and how it is told. */
interface Manager {
  file: string;
  text(plan: ServicePlan): string;
  start: string;
  stop: string;
}

const managerOf = (context: Context, platform: NodeJS.Platform): Manager => {
  if (platform === "darwin") {
    const file = join(context.home, "Library", "LaunchAgents", `${LABEL}.plist`);
    return {
      file,
      text: (plan) => launchdPlist(LABEL, plan),
      start: `launchctl bootstrap gui/$(id -u) ${file}`,
      stop: `launchctl bootout gui/$(id -u)/${LABEL}`,
    };
  }
  const config = context.env["XDG_CONFIG_HOME"] || join(context.home, ".config");
  return {
    file: join(config, "systemd", "user", "harness.service"),
    text: systemdUnit,
    start: "systemctl --user daemon-reload && systemctl --user enable --now harness",
    stop: "systemctl --user disable --now harness",
  };
};

/** The launcher, which finds the Node that was installed with it. */
const launcher = resolve(import.meta.dirname, "..", "..", "..", "bin", "harness");

const planOf = ({ env, config, paths, cwd }: Context): ServicePlan => ({
  program: launcher,
  args: [
    "--state-dir",
    paths.dir,
    ...(config.explicit ? ["--config", resolve(cwd, config.file)] : []),
    "daemon",
  ],
  env: { PATH: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", ...(env["LANG"] && { LANG: env["LANG"] }) },
});

/** Writes the service's file and says how to start it; starts nothing. */
export const serviceInstall = (context: Context, { print = false }: { print?: boolean }): number => {
  const manager = managerOf(context, process.platform);
  const text = manager.text(planOf(context));
  if (print) {
    context.out.write(text);
    return 0;
  }
  mkdirSync(dirname(manager.file), { recursive: true, mode: 0o700 });
  writeFileSync(manager.file, text, { mode: 0o600 });
  tell(context, manager, "written; start it with", manager.start);
  return 0;
};

/** Removes the service's file, and says how to stop what it started. */
export const serviceUninstall = (context: Context): number => {
  const manager = managerOf(context, process.platform);
  const was = existsSync(manager.file);
  rmSync(manager.file, { force: true });
  tell(
    context,
    manager,
    was ? "removed; what it started goes on until" : "was not there; what runs is stopped with",
    manager.stop,
  );
  return 0;
};

const tell = (context: Context, { file }: Manager, what: string, next: string): void => {
  if (context.json) writeJson(context.out, { file, next });
  else context.out.write(`${styled(context.out, "good", "✓")} ${file} ${what}: ${next}\n`);
};
