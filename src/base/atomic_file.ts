import { basename, dirname, join, resolve } from "@std/path";
import { OutputError, systemMessage } from "./errors.ts";

/** Maximum number of symbolic links to follow, the same as in Linux. */
const MAX_LINKS = 40;

/** A file that is being written. It appears at its final path only after `commit`. */
export interface AtomicFile {
  write(bytes: Uint8Array): void;
  commit(): void;
  /** Does nothing after `commit`. */
  discard(): void;
}

/**
 * Writes to a temporary file, which `commit` renames. Follows symbolic links, also to nothing.
 * Writes to devices and pipes directly. Throws `OutputError`.
 */
export function openAtomicFile(path: string): AtomicFile {
  return guard(path, () => {
    const existing = statIfExists(path);
    if (existing?.isDirectory) throw new OutputError(`cannot write ${path}: it is a directory`);
    if (existing && !existing.isFile) return openDirectly(path);
    return openTemporary(path, existing ? Deno.realPathSync(path) : followLinks(path), existing);
  });
}

function openDirectly(path: string): AtomicFile {
  const file = Deno.openSync(path, { write: true });
  let isOpen = true;
  const close = () => {
    if (isOpen) file.close();
    isOpen = false;
  };
  return {
    write: (bytes) => guard(path, () => writeAll(file, bytes)),
    commit: close,
    discard: close,
  };
}

/**
 * Creates the file and removes it, to fail early if the folder is not writable. The first `write`
 * creates it again, so a process killed before leaves none.
 */
function openTemporary(
  path: string,
  target: string,
  existing: Deno.FileInfo | undefined,
): AtomicFile {
  const part = join(dirname(target), `.${basename(target)}.${uniqueName()}.part`);
  const open = () => Deno.openSync(part, { write: true, createNew: true });
  open().close();
  Deno.removeSync(part);
  let file: Deno.FsFile | undefined;
  let ended = false;
  const discard = () => {
    ended = true;
    if (file === undefined) return;
    file.close();
    file = undefined;
    Deno.removeSync(part);
  };
  return {
    write: (bytes) => guard(path, () => writeAll(file ??= open(), bytes)),
    commit: () =>
      guard(path, () => {
        if (ended) return;
        try {
          file ??= open();
          file.syncSync();
          if (existing?.mode && Deno.build.os !== "windows") {
            Deno.chmodSync(part, existing.mode & 0o777);
          }
          Deno.renameSync(part, target);
        } catch (error) {
          discard();
          throw error;
        }
        ended = true;
        file.close();
        file = undefined;
      }),
    discard,
  };
}

function uniqueName(): string {
  return crypto.randomUUID().slice(0, 8);
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
}

function statIfExists(path: string, stat = Deno.statSync): Deno.FileInfo | undefined {
  try {
    return stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Follows symbolic links, even to nothing. Throws an `Error` for circular links. `hops` counts
 * those followed.
 */
function followLinks(path: string, hops = 0): string {
  if (hops > MAX_LINKS) throw new Error(`too many symbolic links: ${path}`);
  const link = statIfExists(path, Deno.lstatSync)?.isSymlink;
  return link ? followLinks(resolve(dirname(path), Deno.readLinkSync(path)), hops + 1) : path;
}

/** Returns the absolute path with all symbolic links resolved. The file does not need to exist. */
export function realPath(path: string): string {
  const target = followLinks(path);
  try {
    return Deno.realPathSync(target);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const folder = dirname(target);
    return folder === target ? target : join(realPath(folder), basename(target));
  }
}

function guard<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof OutputError) throw error;
    throw new OutputError(`cannot write ${path}: ${reason(path, error)}`, { cause: error });
  }
}

function reason(path: string, error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    if (error.message.includes("all access")) {
      return "the permission is missing; devices require `--allow-all`, so add it to `deno run`";
    }
    const folder = dirname(path);
    return "the permission is missing; add " +
      `\`--allow-read=${folder} --allow-write=${folder}\` to \`deno run\`, because the output is ` +
      "first written to a temporary file in this folder";
  }
  if (error instanceof Deno.errors.NotFound) return "its folder does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "the operating system denies access";
  return systemMessage(error);
}
