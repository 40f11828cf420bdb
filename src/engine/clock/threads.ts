/**
 * Maximum difference in ms between the clocks of two threads. It is larger than the latency of any
 * message between threads on a busy machine.
 */
const MAX_DIFFERENCE_MS = 5_000;

/**
 * Returns the time in Unix milliseconds. All threads of a process get the same time, and changes of
 * the system clock do not affect it.
 */
export function threadTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Reports whether `threadTime` of another thread uses the same time scale. `other` is the value that
 * the thread has just sent. The scales differ if the system clock was set between the starts of the
 * two threads.
 */
export function isSameClock(other: number): boolean {
  return Math.abs(other - threadTime()) < MAX_DIFFERENCE_MS;
}

/**
 * Reports whether a thread can be started from `module`. Call it first: without read permission for
 * the module, Deno prints an error that cannot be suppressed. A compiled binary contains its
 * modules and needs no permission.
 */
export async function canStartThread(module: URL): Promise<boolean> {
  if (module.protocol !== "file:" || Deno.build.standalone) return true;
  const { state } = await Deno.permissions.query({ name: "read", path: module });
  return state === "granted";
}
