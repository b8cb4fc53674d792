/** Ctrl-B, which begins the one chord that is not the program's. */
const PREFIX = 0x02;
const DETACH = "d".charCodeAt(0);

/** What of a piece of typing goes to the program. */
export interface Keys {
  /** `detach`: ctrl-b d was typed; what came before it is in `pass`. */
  typed(bytes: Uint8Array): { pass: Uint8Array; detach: boolean };
}

/**
 * Keeps `ctrl-b d` from what is typed. `ctrl-b ctrl-b` is one ctrl-b for the program, and ctrl-b before any other key goes
 * to it with that key.
 */
export const detachKeys = (): Keys => {
  let prefixed = false;
  return {
    typed: (bytes) => {
      const pass: number[] = [];
      for (const byte of bytes) {
        if (!prefixed) {
          prefixed = byte === PREFIX;
          if (!prefixed) pass.push(byte);
          continue;
        }
        prefixed = false;
        if (byte === DETACH) return { pass: Uint8Array.from(pass), detach: true };
        pass.push(...(byte === PREFIX ? [PREFIX] : [PREFIX, byte]));
      }
      return { pass: Uint8Array.from(pass), detach: false };
    },
  };
};
