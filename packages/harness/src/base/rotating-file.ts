import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";

export interface RotatingFileOptions {
  path: string;
  /** No file ever grows beyond this many bytes; a longer piece is the writer's to cut. */
  maxBytes: number;
  /** How many full files are kept, as `<path>.1` (the newest) and so on. */
  backups: number;
  /** Where an earlier writer of the same file had got to: what it wrote beyond that is cut off. */
  resume?: Place | undefined;
}

/** A position in one of the files, whatever that is called by now. */
export interface Place {
  inode: number;
  size: number;
}

/** A file that is appended to and set aside when it is full. */
export interface RotatingFile {
  /** Appends a piece whole; throws what the system says, and then nothing of the piece counts. */
  write(bytes: Uint8Array): void;
  readonly place: Place;
  close(): void;
}

/** Opens the file, 0600, and goes on at its end. */
export const openRotating = ({ path, maxBytes, backups, resume }: RotatingFileOptions): RotatingFile => {
  let fd = openSync(path, "a", 0o600);
  const stat = fstatSync(fd);
  const { ino: inode } = stat;
  let { size } = stat;
  if (resume !== undefined && resume.inode === inode && resume.size < size) {
    ftruncateSync(fd, resume.size);
    ({ size } = resume);
  }
  let place: Place = { inode, size };

  const rotate = (): void => {
    for (let number = backups; number > 0; number -= 1) {
      moveIfThere(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    }
    // Opened before the full one is let go, so that a failure leaves a file to write to.
    const next = openSync(path, backups === 0 ? "w" : "a", 0o600);
    closeSync(fd);
    fd = next;
    const fresh = fstatSync(fd);
    place = { inode: fresh.ino, size: fresh.size };
  };

  return {
    write: (bytes) => {
      if (place.size + bytes.length > maxBytes && place.size > 0) rotate();
      let written = 0;
      try {
        while (written < bytes.length) written += writeSync(fd, bytes, written);
      } catch (error) {
        if (written > 0) ftruncateSync(fd, place.size);
        throw error;
      }
      place = { ...place, size: place.size + bytes.length };
    },
    get place() {
      return place;
    },
    close: () => closeSync(fd),
  };
};

const moveIfThere = (from: string, to: string): void => {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
};
