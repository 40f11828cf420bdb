/** How a process ended that had a limit. */
export interface Ended {
  /** Undefined when it was still alive at the limit and was killed. */
  readonly code: number | undefined;
  readonly seconds: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is done to a process while it runs. */
export interface Treatment {
  /** Kills it after so many seconds; 20 when absent. */
  readonly limit?: number;
  /** Sends these signals, at seconds after `sees` was printed. */
  readonly signals?: readonly (readonly [seconds: number, signal: Deno.Signal])[];
  /** Text on standard error from which the seconds are counted; from the start when absent. */
  readonly sees?: string;
  /** Runs the command in a shell after this, such as `ulimit -n 256`. */
  readonly after?: string;
  /** Puts this before the command, such as `unshare -n`. */
  readonly under?: readonly string[];
  readonly permissions?: readonly string[];
}

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

/** Runs `main.ts` in a process that is killed when it does not end by itself. */
export async function runBounded(
  args: readonly string[],
  { limit = 20, signals = [], sees = "", after, under = [], permissions = ["-A"] }: Treatment = {},
): Promise<Ended> {
  const deno = [Deno.execPath(), "run", "--frozen", "--no-prompt", ...permissions, MAIN, ...args];
  const inShell = after === undefined ? [] : ["bash", "-c", `${after}; exec "$@"`, "-"];
  const [program, ...rest] = [...under, ...inShell, ...deno];
  const child = new Deno.Command(program, {
    args: rest,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const startedAt = performance.now();
  const timers: ReturnType<typeof setTimeout>[] = [];
  const send = (seconds: number, signal: Deno.Signal, act = () => {}) =>
    timers.push(setTimeout(() => {
      act();
      try {
        child.kill(signal);
      } catch { /* It has ended. */ }
    }, seconds * 1_000));
  let overdue = false;
  send(limit, "SIGKILL", () => overdue = true);
  const stdout = new Response(child.stdout).text();
  let stderr = "";
  let seen = sees === "";
  if (seen) { for (const [seconds, signal] of signals) send(seconds, signal); }
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    stderr += text;
    if (seen || !stderr.includes(sees)) continue;
    seen = true;
    for (const [seconds, signal] of signals) send(seconds, signal);
  }
  const { code } = await child.status;
  for (const timer of timers) clearTimeout(timer);
  return {
    code: overdue ? undefined : code,
    seconds: (performance.now() - startedAt) / 1_000,
    stdout: await stdout,
    stderr,
  };
}
