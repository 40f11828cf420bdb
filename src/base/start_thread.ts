import { RunError } from "./errors.ts";

/** Deno flag with which a checkout can start threads. */
export const SOURCES_FLAG: string = `--allow-read=${import.meta.dirname?.replace(/.base$/, "")}`;

const urls = new Map<string, string>();

/** `module` is a URL, which needs read access, or in a release, the text of the module. */
export function mayStartThread(module: URL | string): boolean {
  return typeof module === "string" || module.protocol !== "file:" ||
    Deno.permissions.querySync({ name: "read", path: module }).state === "granted";
}

/** Calls `onFailure` if the module cannot be loaded or throws. Throws RunError. */
export function startThread(
  name: string,
  module: URL | string,
  onFailure: (error: RunError) => void,
): Worker {
  if (!mayStartThread(module)) {
    throw new RunError(
      `cannot start the ${name} thread: the permission to read its modules is missing; add ` +
        `\`${SOURCES_FLAG}\` to \`deno run\``,
    );
  }
  const worker = new Worker(urlOf(module), { type: "module", name });
  worker.onerror = (event) => {
    event.preventDefault();
    onFailure(
      new RunError(
        `the ${name} thread failed: ${event.message.trim()}\n` +
          "If it could not load a module, this copy of rehearse is damaged: install it again. " +
          "Otherwise, this is a bug: please report it.",
      ),
    );
  };
  return worker;
}

function urlOf(module: URL | string): URL | string {
  if (typeof module !== "string") return module;
  return urls.getOrInsertComputed(
    module,
    () => URL.createObjectURL(new Blob([module], { type: "text/javascript" })),
  );
}

/** More than the latency of any message between threads, even on a busy machine. */
const MAX_DIFFERENCE_MS = 5_000;

/** Returns the time in Unix milliseconds, which changes to the system clock do not affect. */
export function threadTime(): number {
  return performance.timeOrigin + performance.now();
}

/** Throws RunError if the clock was changed between the starts of this and the `other` thread. */
export function checkThreadTime(other: number): void {
  if (Math.abs(other - threadTime()) < MAX_DIFFERENCE_MS) return;
  throw new RunError(
    "the clock of this machine was changed after the process started; start it again",
  );
}
