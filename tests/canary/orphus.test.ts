import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { filesUnder } from "../support/facts.ts";
import { createSandbox } from "../support/sandbox.ts";
import { leaksIn, type Place } from "./search.ts";
import { asText, plantedSecrets } from "./secrets.ts";

/**
 * What orphus keeps beside the conversation. A session's messages are the conversation, kept as it was said (see
 * docs/design/orphus.md): they are the one thing that is left out here.
 */
const besideTheConversation = (path: string): string =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => !line.includes('"type":"message"') || /"errorMessage"/.test(line))
    .join("\n");

test("O-41 O-119 no record, stream or complaint of orphus holds what a prompt, a call, a result or the environment holds in secret", async (t) => {
  const secrets = plantedSecrets(1);
  const inError = plantedSecrets(2);
  const inSettings = plantedSecrets(3);
  const sandbox = createSandbox(t);
  const plain = ["plain", "words", "of", "nobody"].join("-");
  sandbox.env["SHOP_API_KEY"] = plain;
  const known = { kind: "value of the environment", text: plain, secret: plain };
  const text = asText(secrets);
  const workdir = sandbox.workdir("work", { "notes.txt": `${text}\n${plain}\n` });
  const script = join(sandbox.dir, "script.json");
  const turn = (name: string, args: Record<string, string>) => ({
    text,
    toolCalls: [{ name, arguments: args }],
  });
  writeFileSync(
    script,
    JSON.stringify({
      turns: [
        turn("read", { path: join(workdir, "notes.txt") }),
        turn("bash", { command: `echo '${text.replaceAll("'", "")}'; echo $SHOP_API_KEY` }),
        turn("write", { path: join(workdir, "new.txt"), content: text, token: text }),
        turn(secrets[0]?.secret ?? "", { text }),
        { error: `refused: ${asText(inError)}`, status: 400 },
      ],
    }),
  );
  const printed: Place[] = [];
  const say = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await sandbox.run("orphus", args);
    printed.push({ name: `stderr of orphus ${args[0] ?? ""}`, bytes: Buffer.from(stderr) });
    return stdout;
  };
  const sessions = join(sandbox.dir, "sessions");
  const asked = ["-p", "--provider", "scripted", "--script", script, "--session-dir", sessions];
  const stream = await say(...asked, "--mode", "json", text);
  printed.push({ name: "stream", bytes: Buffer.from(stream) });
  await say(...asked, text);
  await say("-p", "--provider", inSettings[3]?.secret ?? "", "--model", inSettings[4]?.secret ?? "", "x");
  await say("-p", "--provider", "scripted", "--script", join(sandbox.dir, inSettings[5]?.secret ?? ""), "x");
  await say("-p", `--${inSettings[6]?.secret ?? ""}`, "x");
  sandbox.env["ORPHUS_REDACT_RULES"] = join(sandbox.dir, inSettings[7]?.secret ?? "");
  await say(...asked, "x");

  const files = filesUnder(sessions);
  assert.equal(files.filter((file) => file.endsWith(".jsonl")).length, 2);
  const kept = files.map((file) => ({ name: file, bytes: Buffer.from(besideTheConversation(file)) }));
  assert.match(Buffer.concat(kept.map(({ bytes }) => bytes)).toString(), /orphus\.provider\.request\.v1/);
  const all = [...secrets, ...inError, ...inSettings, known];
  const whole = files.map((file) => ({ name: file, bytes: readFileSync(file) }));
  assert.ok(
    leaksIn(whole, secrets).length >= secrets.length,
    "the conversation holds them: the search can find",
  );
  assert.ok(leaksIn([{ name: "script", bytes: readFileSync(script) }], inError).length === inError.length);
  assert.match(stream, /\[REDACTED\]/i);
  assert.deepEqual(leaksIn([...printed, ...kept], all), []);
  assert.deepEqual(
    leaksIn(whole, [known]),
    [],
    "values of the environment are not in the conversation either",
  );
});
