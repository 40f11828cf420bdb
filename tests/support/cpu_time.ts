import process from "node:process";

/**
 * Runs `work`. Returns its result and the CPU time in seconds that this thread needed. Unlike the
 * elapsed time, the CPU time does not depend on other processes and threads.
 */
export function measureCpu<T>(work: () => T): { readonly result: T; readonly seconds: number } {
  const before = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
}
