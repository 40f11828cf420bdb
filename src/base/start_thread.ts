import { RunError } from "./errors.ts";

/** Deno flag with which a checkout can start threads. */
export const SOURCES_FLAG: string = `--allow-read=${import.meta.dirname?.replace(/.base$/, "")}`;

const urls = new Map<string, string>();

/**
 * In a checkout, `module` is a URL, which needs read access. In a release, it is the text that
 * `scripts/build.ts` puts in its place.
 */
export function mayStartThread(module: URL | string): boolean {
  return typeof module === "string" || module.protocol !== "file:" ||
    Deno.permissions.querySync({ name: "read", path: module }).state === "granted";
}

/**
 * `module` is a URL or text. Calls `onFailure` if it cannot be loaded or does not catch an error.
 * Throws RunError unless `mayStartThread`.
 */
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
  const known = urls.get(module);
  if (known !== undefined) return known;
  const url = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  urls.set(module, url);
  return url;
}

/** More than the latency of any message between threads, even on a busy machine. */
const MAX_DIFFERENCE_MS = 5_000;

/**
 * Returns the current time in Unix milliseconds. Changes to the system clock while the thread runs
 * do not affect it. Threads of a process normally use the same time scale; `checkThreadTime` finds
 * the exceptions.
 */
export function threadTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Throws RunError if `threadTime` in another thread, which has just sent the value `other`, uses
 * another time scale than in this thread. The scales differ if the system clock was changed after
 * one thread started and before the other started.
 */
export function checkThreadTime(other: number): void {
  if (Math.abs(other - threadTime()) < MAX_DIFFERENCE_MS) return;
  throw new RunError(
    "the clock of this machine was changed after the process started; start it again",
  );
}
