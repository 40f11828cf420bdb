const TICKS_A_SECOND = 100;

/**
 * Preloaded before main.ts. At exit, prints the peak memory and CPU time of the process (Linux
 * only).
 */
addEventListener("unload", () => {
  const status = Deno.readTextFileSync("/proc/self/status");
  console.error(`peak: ${/VmHWM:\s+(\d+) kB/.exec(status)![1]} kB`);
  const [user, system] = Deno.readTextFileSync("/proc/self/stat").split(") ")[1].split(" ")
    .slice(11, 13).map(Number);
  console.error(`cpu: ${(user + system) / TICKS_A_SECOND} s`);
});
