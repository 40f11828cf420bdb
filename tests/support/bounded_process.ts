/** The result of a process with a time limit. */
export interface Ended {
  /** Exit code; undefined if the process was killed at the limit. */
  readonly code: number | undefined;
  readonly seconds: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for running a process. */
export interface Treatment {
  /** Seconds after which the process is killed (default: 20). */
  readonly limit?: number;
  /** Signals to send, at seconds after `sees` was printed. */
  readonly signals?: readonly (readonly [seconds: number, signal: Deno.Signal])[];
  /** Text on standard error that starts the clock of `signals`. Absent: the start of the process. */
  readonly sees?: string;
  /** Shell command to run before, such as `ulimit -n 256`. */
  readonly after?: string;
  /** Prefix of the command, such as `unshare -n`. */
  readonly under?: readonly string[];
  readonly permissions?: readonly string[];
}

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

/** Runs `main.ts` in a process and kills it at the time limit. */
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
      } catch { /* Already ended. */ }
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
