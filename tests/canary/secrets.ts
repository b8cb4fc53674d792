/**
 * The secrets that are planted: one for each of many rules, put together when they are needed, so that none stands in a
 * source.
 */
export interface Secret {
  kind: string;
  /** One line, or the lines of a private key, in which the secret stands as it does where people and agents write it. */
  text: string;
  /** What must be nowhere. */
  secret: string;
}

const ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Characters that look drawn; the same for the same seed. */
const drawn = (length: number, seed: number, alphabet = ALNUM): string => {
  let state = seed * 2_654_435_761;
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += alphabet[(state >>> 16) % alphabet.length] ?? "";
  }
  return text;
};

type Make = (seed: number) => { before?: string; secret: string; after?: string };

/** A token that is known by its own shape. */
const token =
  (prefix: readonly string[], length: number, alphabet?: string): Make =>
  (seed) => ({ secret: prefix.join("") + drawn(length, seed, alphabet) });

/** A value that is known by what stands around it. */
const within =
  (before: string, length: number, after = ""): Make =>
  (seed) => ({ before, secret: drawn(length, seed), after });

const MAKERS: Readonly<Record<string, Make>> = {
  "anthropic key": (seed) => ({ secret: ["sk", "ant", "api03", `${drawn(93, seed)}AA`].join("-") }),
  "anthropic OAuth token": token(["sk-", "ant-", "oat01-"], 95),
  "openai key": (seed) => ({
    secret: ["sk", "proj", drawn(74, seed) + ["T3Blbk", "FJ"].join("") + drawn(74, seed + 1)].join("-"),
  }),
  "github token": token(["gh", "p_"], 36),
  "github OAuth token": token(["gh", "o_"], 36),
  "github app token": token(["gh", "s_"], 36),
  "github refresh token": token(["gh", "r_"], 36),
  "github fine-grained token": token(["github", "_pat_"], 82),
  "gitlab token": token(["gl", "pat-"], 20),
  "gitlab deploy token": token(["gl", "dt-"], 20),
  "slack bot token": (seed) => ({
    secret: [["xox", "b"].join(""), "123456789012", "123456789013", drawn(24, seed)].join("-"),
  }),
  "stripe key": token(["sk_", "live_"], 24),
  "google key": token(["AI", "za"], 35),
  "huggingface token": token(["h", "f_"], 34, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
  "npm token": token(["np", "m_"], 36),
  "pypi token": token(["py", "pi-AgEIcHlwaS5vcmc"], 70),
  "aws key id": token(["AK", "IA"], 16, UPPER),
  "groq key": token(["gs", "k_"], 52),
  "xai key": token(["xa", "i-"], 80),
  "replicate token": token(["r", "8_"], 37),
  "perplexity key": token(["pp", "lx-"], 48),
  "openrouter key": token(["sk-", "or-v1-"], 64, HEX),
  "cerebras key": token(["cs", "k-"], 48),
  "digitalocean token": token(["do", "p_v1_"], 64, HEX),
  "shopify token": token(["sh", "pat_"], 32, HEX),
  "sendgrid key": (seed) => ({
    secret: [["S", "G"].join(""), drawn(22, seed), drawn(43, seed + 1)].join("."),
  }),
  "linear key": token(["lin", "_api_"], 40),
  "doppler token": token(["dp", ".pt."], 43),
  "clojars token": token(["CLO", "JARS_"], 60),
  "tailscale key": (seed) => ({
    secret: [["ts", "key"].join(""), "auth", drawn(12, seed), drawn(32, seed + 1)].join("-"),
  }),
  "artifactory key": token(["AK", "Cp"], 69),
  "easypost key": token(["EZ", "AK"], 54),
  "vault token": token(["hv", "s."], 95),
  "langsmith key": (seed) => ({
    secret: [["lsv2", "pt"].join("_"), drawn(32, seed, HEX), drawn(10, seed + 1, HEX)].join("_"),
  }),
  "web token": (seed) => ({
    secret: ["eyJhbGciOiJIUzI1NiJ9", `eyJzdWIiOiI${drawn(32, seed)}`, drawn(43, seed + 1)].join("."),
  }),
  "URL with userinfo": within("git clone https://bot:", 18, "@git.internal/repo.git"),
  "authorization header": within("Authorization: token ", 14),
  "token header": within("X-Api-Key: ", 22),
  cookie: within("Cookie: session=", 26),
  "password flag": within("deploy --password ", 15),
  "user flag of curl": within("curl -u admin:", 16, " http://127.0.0.1/"),
  "password of mysql": within("mysql -u root -p", 14, " shop"),
  "assignment in a shell": within("export DB_PASSWORD=", 13),
  "assignment in JSON": within('{"client_secret": "', 21, '"}'),
  "line of a netrc": within("machine api.internal login bot password ", 15),
  "signed URL": (seed) => ({
    before: "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=",
    secret: drawn(64, seed, HEX),
  }),
  "private key": (seed) => {
    const label = ["RSA", "PRIVATE", "KEY"].join(" ");
    return {
      before: `-----BEGIN ${label}-----\n`,
      secret: drawn(64, seed),
      after: `\n-----END ${label}-----`,
    };
  },
};

/** A secret of every kind. Different seeds give different ones, so that it can be told where a leak came from. */
export const plantedSecrets = (seed: number): Secret[] =>
  Object.entries(MAKERS).map(([kind, make], index) => {
    const { before = "", secret, after = "" } = make(seed * 1000 + index * 7);
    return { kind, secret, text: before + secret + after };
  });

/** All of them in one text, as an agent's output or a prompt may hold them. */
export const asText = (secrets: readonly Secret[]): string => secrets.map(({ text }) => text).join("\n");
