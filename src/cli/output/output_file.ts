import { type AtomicFile, openAtomicFile, realPath } from "../../base/atomic_file.ts";
import { UsageError } from "../../base/errors.ts";
import type { Io } from "../system/io.ts";

/**
 * Output to a file or to standard output. Written once, when the result is complete. If it was not
 * written at the end of its scope, an existing file stays unchanged.
 */
export interface OutputFile extends Disposable {
  /** Writes the whole text, which may be divided into pieces. A file is replaced atomically. */
  write(...pieces: readonly string[]): Promise<void>;
}

/**
 * Opens the file at `path` before the work starts, so that an unwritable path fails early. Opens
 * standard output if the path is `-` or undefined. Throws OutputError if the path cannot be
 * written, and UsageError if it is one of `inputs`.
 */
export function openOutput(
  path: string | undefined,
  inputs: readonly string[],
  io: Io,
): OutputFile {
  if (path === undefined || path === "-") return standardOutput(io);
  return openOutputFile(path, inputs);
}

/**
 * Opens the file at `path` as an output. Throws OutputError if it cannot be written, and UsageError
 * if it is one of `inputs`.
 */
export function openOutputFile(path: string, inputs: readonly string[]): OutputFile {
  if (inputs.some((input) => isSameFile(input, path))) {
    throw new UsageError(
      `cannot write to ${path}: this command or its plan already uses the file; choose another path`,
    );
  }
  const file: AtomicFile = openAtomicFile(path);
  return {
    write: (...pieces) =>
      Promise.try(() => {
        const encoder = new TextEncoder();
        for (const piece of pieces) file.write(encoder.encode(piece));
        file.commit();
      }),
    [Symbol.dispose]: () => file.discard(),
  };
}

function standardOutput(io: Io): OutputFile {
  return {
    write: (...pieces) =>
      Promise.try(() => {
        for (const piece of pieces) io.stdout.write(piece);
      }).catch((error) => {
        // The reader closed the pipe, as `| head -1` does. Notes and summary are still printed.
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      }),
    [Symbol.dispose]() {},
  };
}

/**
 * Reports whether two paths name the same file, which need not exist. Returns false for `-`, unless
 * both are `-`.
 */
export function isSameFile(a: string, b: string): boolean {
  if (a === b) return true;
  if (a === "-" || b === "-") return false;
  try {
    return realPath(a) === realPath(b);
  } catch {
    // Opening the file reports the error.
    return false;
  }
}

/**
 * Opens the file at `path`, the value of `--html`, before the work starts. Throws OutputError if it
 * cannot be written, and UsageError if it is one of `used`, the files that the command uses.
 */
export function openPage(
  path: string | undefined,
  used: readonly string[],
  io: Io,
): OutputFile | undefined {
  return path === undefined ? undefined : openOutput(path, used, io);
}
