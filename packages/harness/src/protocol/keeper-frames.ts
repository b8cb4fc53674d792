/** A frame is a u32 (big-endian) that counts what follows it, a u8 type, and a payload. */
const LENGTH_BYTES = 4;
const HEADER_BYTES = LENGTH_BYTES + 1;

/** A spawn with the longest argument list a kernel takes fits; anything beyond is not a frame of ours. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** The other side does not keep to the protocol; the connection is of no further use. */
export class KeeperProtocolError extends Error {
  override readonly name = "KeeperProtocolError";
}

export interface Frame {
  type: number;
  payload: Buffer;
}

export const encodeFrame = (type: number, ...payload: readonly Uint8Array[]): Buffer => {
  const length = 1 + payload.reduce((sum, part) => sum + part.length, 0);
  if (length > MAX_FRAME_BYTES) {
    throw new KeeperProtocolError(`a message of ${length} bytes; ${MAX_FRAME_BYTES} is the most`);
  }
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(length, 0);
  header.writeUInt8(type, LENGTH_BYTES);
  return Buffer.concat([header, ...payload]);
};

/** Takes a connection's bytes in, cut anywhere, and gives back the frames that are whole. */
export class FrameReader {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #held = 0;

  /** No frame is longer than `limit` bytes: nothing beyond it is waited for. */
  constructor(limit = MAX_FRAME_BYTES) {
    this.#limit = limit;
  }

  /** Throws {@link KeeperProtocolError} for a length that no frame has. */
  push(chunk: Uint8Array): Frame[] {
    this.#pieces.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.#held += chunk.byteLength;
    const frames: Frame[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) frames.push(next);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#held < HEADER_BYTES) return undefined;
    const length = this.#joined(HEADER_BYTES).readUInt32BE(0);
    if (length === 0 || length > this.#limit) throw new KeeperProtocolError(`a frame of ${length} bytes`);
    const end = LENGTH_BYTES + length;
    if (this.#held < end) return undefined;
    const bytes = this.#joined(end);
    this.#pieces[0] = bytes.subarray(end);
    this.#held -= end;
    return { type: bytes.readUInt8(LENGTH_BYTES), payload: bytes.subarray(HEADER_BYTES, end) };
  }

  /** Joins pieces only where one is too short, so that a large frame is copied once and not once per piece. */
  #joined(bytes: number): Buffer {
    const first = this.#pieces[0];
    if (first !== undefined && first.length >= bytes) return first;
    const whole = Buffer.concat(this.#pieces, this.#held);
    this.#pieces = [whole];
    return whole;
  }
}
