import { HarnessError } from "../../base/errors.ts";
import { maskText } from "../../base/mask.ts";
import type { Config } from "../../config/definition.ts";
import { loadConfig } from "../../config/load.ts";
import type { Context } from "../context.ts";
import { agentChecks, keyChecks } from "../doctor/agents.ts";
import type { Check } from "../doctor/check.ts";
import { daemonChecks, environmentOf } from "../doctor/daemon.ts";
import { serviceChecks, stateChecks } from "../doctor/places.ts";
import { writeJson } from "../output.ts";
import { styled, type Role } from "../style.ts";

const marks: Readonly<Record<Check["status"], { glyph: string; role: Role }>> = {
  ok: { glyph: "✓", role: "good" },
  warn: { glyph: "⚠", role: "warn" },
  error: { glyph: "✗", role: "bad" },
};

/** Looks at what a daemon and its runs need; exits with 1 when something is wrong. Changes nothing. */
export const doctor = async (context: Context): Promise<number> => {
  const { config, check } = await configuration(context);
  const { checks: daemon, daemon: status } = await daemonChecks(context);
  const env = (status && environmentOf(status.pid)) ?? context.env;
  const checks = [
    check,
    ...daemon,
    ...stateChecks(context),
    ...serviceChecks(context),
    ...(config === undefined ? [] : [...agentChecks(config, env), ...keyChecks(config, env)]),
  ];
  const count = (wanted: Check["status"]): number => checks.filter((each) => each.status === wanted).length;
  const summary = { passed: count("ok"), warned: count("warn"), failed: count("error") };
  if (context.json) writeJson(context.out, { checks, summary });
  else show(context, checks, summary);
  return summary.failed === 0 ? 0 : 1;
};

const configuration = async (context: Context): Promise<{ config?: Config; check: Check }> => {
  const name = "configuration";
  try {
    const config = await loadConfig({ ...context.config, home: context.home, cwd: context.cwd });
    const detail = `${config.file ?? "none"}: ${config.harnesses.size} defined`;
    if (config.file !== null) return { config, check: { name, status: "ok", detail } };
    const hint = "write a first one: harness init";
    return { config, check: { name, status: "warn", detail: `there is no ${context.config.file}`, hint } };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    const { message, hint } = error;
    // A configuration may hold a secret where none is due.
    return {
      check: { name, status: "error", detail: maskText(message), ...(hint !== undefined && { hint }) },
    };
  }
};

const show = (
  { out }: Context,
  checks: readonly Check[],
  summary: { passed: number; warned: number; failed: number },
): void => {
  for (const { name, status, detail, hint } of checks) {
    const { glyph, role } = marks[status];
    out.write(`${styled(out, role, glyph)} ${name}: ${detail.replaceAll("\n", "\n  ")}\n`);
    if (hint !== undefined) out.write(`${styled(out, "faint", `  → ${hint}`)}\n`);
  }
  const { passed, warned, failed } = summary;
  out.write(`${passed} passed · ${warned} ${warned === 1 ? "warning" : "warnings"} · ${failed} failed\n`);
};
