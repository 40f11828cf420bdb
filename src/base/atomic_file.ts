import { OutputError } from "./errors.ts";
import { paths } from "./paths.ts";
import { systemMessage } from "./system_message.ts";

/** As Linux follows at most. */
const MAX_LINKS = 40;

/** A file that appears whole, under its own name, or not at all. */
export interface AtomicFile {
  write(bytes: Uint8Array): void;
  /** Makes it the file of that name. */
  commit(): void;
  /** Leaves an earlier file of that name as it was. Does nothing after `commit`. */
  discard(): void;
}

/**
 * Opens `path` for writing. What is written goes to another name in the same folder and is renamed
 * at `commit`. A symbolic link is followed, also one that leads to no file yet; a device or a pipe is
 * written to directly. Throws OutputError when the path cannot be written, before anything was.
 */
export function openAtomicFile(path: string): AtomicFile {
  return guard(path, () => {
    const existing = statOrNothing(path);
    if (existing?.isDirectory) throw new OutputError(`cannot write ${path}: it is a directory`);
    if (existing && !existing.isFile) return direct(path);
    return renamed(path, existing ? Deno.realPathSync(path) : followLinks(path), existing);
  });
}

function direct(path: string): AtomicFile {
  const file = Deno.openSync(path, { write: true });
  const close = closer(file);
  return {
    write: (bytes) => guard(path, () => writeAll(file, bytes)),
    commit: close,
    discard: close,
  };
}

/** Closes a file at the first call; tells whether it did. */
function closer(file: Deno.FsFile): () => boolean {
  let open = true;
  return () => {
    const closes = open;
    open = false;
    if (closes) file.close();
    return closes;
  };
}

/**
 * The other name is tried at once, and then left alone until the first `write`: whoever ends the
 * program while it works leaves nothing behind.
 */
function renamed(path: string, target: string, existing: Deno.FileInfo | undefined): AtomicFile {
  const part = paths.join(paths.dirname(target), `.${paths.basename(target)}.${uniqueName()}.part`);
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
        removeLeftovers(target);
      }),
    discard,
  };
}

/** A leftover of a killed process that is older than this belongs to no running process. */
const LEFTOVER_MS = 3_600_000;

/** Removes temporary files that a killed process left next to `target`. */
function removeLeftovers(target: string): void {
  const prefix = `.${paths.basename(target)}.`;
  const folder = paths.dirname(target);
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      if (!name.startsWith(prefix) || !/^[0-9a-f]{8}\.part$/.test(name.slice(prefix.length))) {
        continue;
      }
      const path = paths.join(folder, name);
      const { mtime, isFile } = Deno.lstatSync(path);
      if (isFile && mtime !== null && Date.now() - mtime.getTime() > LEFTOVER_MS) {
        Deno.removeSync(path);
      }
    }
  } catch {
    // Cleaning up is optional: the file itself is written.
  }
}

/** Random, because process ids repeat, soon in a container. */
function uniqueName(): string {
  return crypto.randomUUID().slice(0, 8);
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
}

function statOrNothing(path: string, stat = Deno.statSync): Deno.FileInfo | undefined {
  try {
    return stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Returns the path that a symbolic link leads to, also if nothing exists there yet; any other path
 * unchanged. Throws an Error for links in a circle.
 */
export function followLinks(path: string, hops = 0): string {
  if (hops > MAX_LINKS) throw new Error(`too many symbolic links: ${path}`);
  const link = statOrNothing(path, Deno.lstatSync)?.isSymlink;
  return link
    ? followLinks(paths.resolve(paths.dirname(path), Deno.readLinkSync(path)), hops + 1)
    : path;
}

/** Turns what the system or the sandbox says into an OutputError. */
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
    if (error.message.includes("all access")) return "deno run needs --allow-all for a device";
    const folder = paths.dirname(path);
    return "permission is missing; it is written beside its place and then renamed, so add " +
      `--allow-read=${folder} --allow-write=${folder} to deno run`;
  }
  if (error instanceof Deno.errors.NotFound) return "its folder does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "the system does not allow it";
  return systemMessage(error);
}
