import type { Detector } from "../engine/scan.ts";
import { assignments, GENERIC_WORDS, genericSecrets, NAME_WORDS } from "./assignment.ts";
import {
  credentialFields,
  encodedPems,
  kubernetesSecrets,
  PEM_BASE64,
  PEM_BEGINS,
  pemBlocks,
  pemTails,
} from "./documents.ts";
import {
  COMMAND_WORDS,
  commandPasswords,
  curlCommands,
  netrcEntries,
  netrcPasswordLines,
  pgpassLines,
} from "./flags.ts";
import { authorizationHeaders, bearerTokens, cookies } from "./header.ts";
import { SIGNATURE_WORDS, signedUrls, urlUserinfo } from "./url.ts";

/** Scanners for what only its surroundings tell, with the words that call them. */
export const CONTEXTS: readonly { detector: Detector; keywords: readonly string[] }[] = [
  { detector: assignments, keywords: NAME_WORDS },
  { detector: genericSecrets, keywords: GENERIC_WORDS },
  { detector: authorizationHeaders, keywords: ["authorization", "authorisation"] },
  { detector: bearerTokens, keywords: ["bearer"] },
  { detector: cookies, keywords: ["cookie"] },
  { detector: urlUserinfo, keywords: ["://"] },
  { detector: signedUrls, keywords: SIGNATURE_WORDS },
  { detector: curlCommands, keywords: ["curl"] },
  { detector: commandPasswords, keywords: COMMAND_WORDS },
  { detector: netrcEntries, keywords: ["machine", "login ", "default"] },
  { detector: netrcPasswordLines, keywords: ["password "] },
  { detector: pgpassLines, keywords: [":5432:", ":5433:", ":6432:", ":*:"] },
  { detector: pemBlocks, keywords: [PEM_BEGINS] },
  { detector: pemTails, keywords: ["-----end"] },
  { detector: encodedPems, keywords: [PEM_BASE64] },
  { detector: kubernetesSecrets, keywords: ["kind"] },
  { detector: credentialFields, keywords: ["client_secret", "refresh_token", "private_key"] },
];
