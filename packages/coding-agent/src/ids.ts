/** Random bytes from the process capability. */
export type RandomBytes = (size: number) => Uint8Array;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const uuid = (bytes: Uint8Array, version: number): string => {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = hex(bytes);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    "-",
  );
};

/** UUID version 4. */
export const uuidV4 = (random: RandomBytes): string => uuid(Uint8Array.from(random(16)), 4);

/** UUID version 7 (RFC 9562): sorts by `now`, milliseconds since 1970. */
export const uuidV7 = (now: number, random: RandomBytes): string => {
  const bytes = new Uint8Array(16);
  for (let at = 5, left = now; at >= 0; at -= 1, left = Math.floor(left / 256)) bytes[at] = left % 256;
  bytes.set(random(10), 6);
  return uuid(bytes, 7);
};

/** 8 hex digits that `taken` does not know yet. */
export const shortId = (random: RandomBytes, taken: (id: string) => boolean): string => {
  for (;;) {
    const id = hex(random(4));
    if (!taken(id)) return id;
  }
};
