import { Buffer } from "node:buffer";
import type { Detector } from "../engine/scan.ts";
import { MASK } from "../controls.ts";
import { isPlaceholder } from "./value.ts";

const PEM_BEGIN = /-----BEGIN[ \w-]{0,100}?PRIVATE KEY(?: BLOCK)?-----/uy;
const PEM_END = /-----END[ \w-]{0,100}?PRIVATE KEY|KEY(?: BLOCK)?-----/gu;

/** A private key in PEM form; one that is cut off is masked to the end of the text. */
export const pemBlocks: Detector = {
  id: "pem-private-key",
  proving: true,
  detect(scan, start) {
    if (start < (scan.notes.get("pem") ?? 0)) return;
    PEM_BEGIN.lastIndex = start;
    if (!PEM_BEGIN.test(scan.text)) return;
    const from = PEM_BEGIN.lastIndex;
    PEM_END.lastIndex = from;
    const end = PEM_END.exec(scan.text)?.index ?? scan.text.length;
    scan.notes.set("pem", end);
    addBody(scan.text, from, end, (a, b) => scan.add("pem-private-key", a, b));
  },
};

function addBody(text: string, from: number, to: number, add: (start: number, end: number) => void): void {
  const body = text.slice(from, to);
  const core = body.replace(/^(?:\s|\\[rn])+|(?:\s|\\[rn])+$/gu, "");
  if (core === "" || core === MASK) return;
  // A quote or bracket that closes the string is context, not key.
  const start = from + body.indexOf(core);
  add(start, start + core.length);
}

/** The tail of a key whose beginning is not there: the lines of base64 before its end. */
export const pemTails: Detector = {
  id: "pem-private-key",
  proving: false,
  detect(scan, start) {
    if (!/^-----END[ \w-]{0,100}?PRIVATE KEY/u.test(scan.text.slice(start, start + 140))) return;
    const floor = Math.max(scan.notes.get("pem-tail") ?? 0, start - 16_384);
    scan.notes.set("pem-tail", start);
    let at = start;
    while (at > floor && /[\w+/=\s\\]/u.test(scan.text[at - 1] ?? "")) at -= 1;
    const lines = /[\w+/=]{16,}[\s\w+/=\\]*$/u.exec(scan.text.slice(at, start));
    if (lines === null) return;
    addBody(scan.text, at + lines.index, start, (a, b) => scan.add("pem-private-key", a, b));
  },
};

/** How a private key in PEM form begins, as a keyword. */
export const PEM_BEGINS = "-----begin";

/** Base64 of `-----BEGIN`. */
export const PEM_BASE64 = "ls0tls1crudjti";

/** A private key in PEM form that was base64-encoded once more, as in a kubeconfig. */
export const encodedPems: Detector = {
  id: "pem-base64",
  proving: true,
  detect(scan, start) {
    const run = /[A-Za-z0-9+/\n\r]{24,65536}={0,2}/uy;
    run.lastIndex = start;
    const text = run.exec(scan.text)?.[0].trimEnd();
    if (text === undefined) return;
    const head = Buffer.from(text.slice(0, 88), "base64").toString("latin1");
    if (head.includes("PRIVATE KEY")) scan.add("pem-base64", start, start + text.length);
  },
};

const KUBE_KIND = /kind["']?:[ \t]{0,40}["']?secret/iuy;
const KUBE_VALUE =
  /\s([-.\w]{1,256}["']?:(?:[ \t]{0,40}(?:\||>[+-]?)\s{1,40})?[ \t]{0,40})(["']?[+/0-9A-Za-z]{10,65536}={0,3}|\{\{[^}\n]{1,256}\}\}|""|'')/gu;
const KUBE_REACH = 1300;

/** The values of `data:` in a Kubernetes Secret, before or behind its `kind`. */
export const kubernetesSecrets: Detector = {
  id: "kubernetes-secret",
  proving: false,
  may: (text, _start, end) => /[:"'\\]/u.test(text[end] ?? ""),
  detect(scan, start) {
    if (start < (scan.notes.get("kube") ?? 0)) return;
    KUBE_KIND.lastIndex = start;
    if (!KUBE_KIND.test(scan.text)) return;
    scan.notes.set("kube", start + 64);
    const from = Math.max(0, start - KUBE_REACH);
    const to = Math.min(scan.text.length, start + 4 * KUBE_REACH);
    const part = scan.text.slice(from, to);
    const data = part.search(/data["']?:/u);
    if (data < 0) return;
    for (const found of part.slice(data).matchAll(KUBE_VALUE)) {
      const [all, , value = ""] = found;
      const end = from + data + found.index + all.length;
      const opening = value.length > 2 && /^["']/u.test(value) ? 1 : 0;
      if (/^(?:v1|Opaque)$/u.test(value)) continue;
      scan.add("kubernetes-secret", end - value.length + opening, end);
    }
  },
};

const CREDENTIAL_FIELD = /"(?:client_secret|refresh_token|private_key)"\s{0,16}:\s{0,16}"/uy;

/** Fields of credential files whose value is secret whatever it looks like. */
export const credentialFields: Detector = {
  id: "credential-field",
  proving: false,
  detect(scan, start) {
    CREDENTIAL_FIELD.lastIndex = start - 1;
    if (start === 0 || !CREDENTIAL_FIELD.test(scan.text)) return;
    const from = CREDENTIAL_FIELD.lastIndex;
    const end = scan.text.indexOf('"', from);
    if (end < 0 || end - from > 8192) return;
    const value = scan.text.slice(from, end);
    if (value !== "" && !isPlaceholder(value) && !value.includes("${") && !value.includes("-----BEGIN"))
      scan.add("credential-field", from, end);
  },
};
