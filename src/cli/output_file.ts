import { type AtomicFile, openAtomicFile } from "../base/atomic_file.ts";
import { UsageError } from "../base/errors.ts";
import type { Io } from "./io.ts";

/** Where a text goes that is written once, at the end. */
export interface OutputFile {
  /** Writes it, whole or not at all. */
  write(text: string): void;
  /** Gives it up; an earlier file stays as it was. Does nothing after `write`. */
  discard(): void;
}

/**
 * Opens a file (`-` or nothing: standard output), so that what cannot be written fails before any
 * work. Throws OutputError, and UsageError for a file that is one of the inputs.
 */
export function openOutput(
  path: string | undefined,
  inputs: readonly string[],
  io: Io,
): OutputFile {
  if (path === undefined || path === "-") return standardOutput(io);
  if (inputs.some((input) => input === path || sameFile(input, path))) {
    throw new UsageError(
      `cannot write to ${path}: this command or its plan already uses the file; name another`,
    );
  }
  const file: AtomicFile = openAtomicFile(path);
  return {
    write(text) {
      file.write(new TextEncoder().encode(text));
      file.commit();
    },
    discard: () => file.discard(),
  };
}

function standardOutput(io: Io): OutputFile {
  return {
    write(text) {
      try {
        io.stdout.write(text);
      } catch (error) {
        // `| head -1`: whoever reads has what they wanted; what is left to say still is said.
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      }
    },
    discard() {},
  };
}

function sameFile(a: string, b: string): boolean {
  try {
    return Deno.realPathSync(a) === Deno.realPathSync(b);
  } catch {
    return false;
  }
}
