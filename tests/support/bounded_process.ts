/** The result of a process that ran with a time limit. */
export interface ProcessOutcome {
  /** Exit code, or undefined if the process was killed at the time limit. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for running a process with a time limit. */
export interface ProcessOptions {
  /**
   * Time limit in seconds, after which the process is killed (default: 90). Tests treat a killed
   * process as one that never ends, so the limit must be long enough even on a busy machine.
   */
  readonly limit?: number;
  /** Signals to send, with times in seconds after `readyText` is printed and `ready` resolves. */
  readonly signals?: readonly (readonly [seconds: number, signal: Deno.Signal])[];
  /**
   * Text on standard error. The times of `signals` are measured from the output of this text or, if
   * absent, from the start of the process.
   */
  readonly readyText?: string;
  /** Promise that must resolve before the times of `signals` are measured (default: resolved). */
  readonly ready?: Promise<unknown>;
  /** Command to run first in the same shell, such as `ulimit -n 256`. */
  readonly setup?: string;
  /** Command that runs the process, such as `unshare -n`. */
  readonly prefix?: readonly string[];
  readonly permissions?: readonly string[];
}

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

/** Runs `main.ts` in a separate process, and kills the process at the time limit. */
export async function runBounded(
  args: readonly string[],
  {
    limit = 90,
    signals = [],
    readyText = "",
    ready = Promise.resolve(),
    setup,
    prefix = [],
    permissions = ["-A"],
  }: ProcessOptions = {},
): Promise<ProcessOutcome> {
  const deno = [Deno.execPath(), "run", "--frozen", "--no-prompt", ...permissions, MAIN, ...args];
  const inShell = setup === undefined ? [] : ["bash", "-c", `${setup}; exec "$@"`, "-"];
  const [program, ...rest] = [...prefix, ...inShell, ...deno];
  const child = new Deno.Command(program, {
    args: rest,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
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
  let seen = false;
  const signalWhenReady = () => {
    if (seen || !stderr.includes(readyText)) return;
    seen = true;
    ready.then(() => signals.forEach(([seconds, signal]) => send(seconds, signal)));
  };
  signalWhenReady();
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    stderr += text;
    signalWhenReady();
  }
  const { code } = await child.status;
  for (const timer of timers) clearTimeout(timer);
  return {
    code: overdue ? undefined : code,
    stdout: await stdout,
    stderr,
  };
}
