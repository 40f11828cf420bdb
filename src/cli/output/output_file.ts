import { type AtomicFile, openAtomicFile, realPath } from "../../base/atomic_file.ts";
import { UsageError } from "../../base/errors.ts";
import type { Io } from "../system/io.ts";

/** Output to a file or to standard output. Written once, when the result is complete. */
export interface OutputFile {
  /** Writes the whole text, which may be divided into pieces. A file is replaced atomically. */
  write(...pieces: readonly string[]): void | Promise<void>;
  /** Discards the output; an existing file stays unchanged. Has no effect after `write`. */
  discard(): void;
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
    write(...pieces) {
      const encoder = new TextEncoder();
      for (const piece of pieces) file.write(encoder.encode(piece));
      file.commit();
    },
    discard: () => file.discard(),
  };
}

function standardOutput(io: Io): OutputFile {
  return {
    write(...pieces) {
      try {
        for (const piece of pieces) io.stdout.write(piece);
      } catch (error) {
        // The reader closed the pipe, as `| head -1` does. Notes and summary are still printed.
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      }
    },
    discard() {},
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
 * The HTML page to write to the path given with `--html`. Discarded at the end of its scope if it
 * was not written.
 */
export interface PageOutput extends Disposable {
  /** Writes the page. Undefined if `--html` was not given. */
  readonly write: OutputFile["write"] | undefined;
}

/**
 * Opens the file at `path`, the value of `--html`, before the work starts. Throws OutputError if it
 * cannot be written, and UsageError if it is one of `used`, the files that the command uses.
 */
export function openPage(path: string | undefined, used: readonly string[], io: Io): PageOutput {
  const output = path === undefined ? undefined : openOutput(path, used, io);
  return {
    write: output && ((...pieces) => output.write(...pieces)),
    [Symbol.dispose]: () => output?.discard(),
  };
}
