import type { Socket } from "node:net";
import { CHUNK_BYTES, type FromKeeper, type KeeperChannel } from "../protocol/keeper.ts";
import { encodeFromKeeper } from "../protocol/keeper-messages.ts";
import type { Run } from "./run.ts";

interface Cursor {
  run: Run;
  channel: KeeperChannel;
  /** Offset of the next byte to send. */
  next: number;
}

/**
 * What goes to the daemon. Facts go at once; bytes go in turns, a piece of each channel, and only while the socket takes
 * them, so that no channel waits behind another's megabyte and nothing piles up in the socket's queue.
 */
export class Outbox {
  readonly #socket: Socket;
  readonly #cursors = new Map<Run, Map<KeeperChannel, Cursor>>();
  /** Cursors with something to send, in the order of their turns. */
  readonly #pending = new Set<Cursor>();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("drain", () => this.#pump());
  }

  send(message: FromKeeper): void {
    if (this.#socket.writable) this.#socket.write(encodeFromKeeper(message));
  }

  /** Starts, or starts over, sending a channel from an offset. */
  follow(run: Run, channel: KeeperChannel, next: number): void {
    const channels = this.#cursors.get(run) ?? new Map<KeeperChannel, Cursor>();
    this.#cursors.set(run, channels);
    const before = channels.get(channel);
    if (before !== undefined) this.#pending.delete(before);
    const cursor = { run, channel, next };
    channels.set(channel, cursor);
    this.#pending.add(cursor);
    this.#pump();
  }

  /** More bytes of a channel are held; nothing is sent of a channel that is not followed. */
  more(run: Run, channel: KeeperChannel): void {
    const cursor = this.#cursors.get(run)?.get(channel);
    if (cursor === undefined) return;
    this.#pending.add(cursor);
    this.#pump();
  }

  forget(run: Run): void {
    for (const cursor of this.#cursors.get(run)?.values() ?? []) this.#pending.delete(cursor);
    this.#cursors.delete(run);
  }

  #pump(): void {
    for (const cursor of this.#pending) {
      if (!this.#socket.writable || this.#socket.writableNeedDrain) return;
      // Taken out and put back at the end: that is its turn.
      this.#pending.delete(cursor);
      const { run, channel, next } = cursor;
      const held = run.held(channel);
      if (held === undefined) continue;
      // Bytes that were acknowledged unread, by a daemon that gave the rest up, are no longer there to send.
      const from = Math.max(next, held.tail);
      const bytes = held.slice(from).subarray(0, CHUNK_BYTES);
      if (bytes.length === 0) continue;
      cursor.next = from + bytes.length;
      this.#pending.add(cursor);
      this.send({ type: "data", run: run.name, channel, from, bytes });
    }
  }
}
