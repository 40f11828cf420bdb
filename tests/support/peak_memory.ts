/** Preloaded before main.ts: tells at the end the most memory that the process held (Linux only). */
addEventListener("unload", () => {
  const status = Deno.readTextFileSync("/proc/self/status");
  console.error(`peak: ${/VmHWM:\s+(\d+) kB/.exec(status)![1]} kB`);
});
