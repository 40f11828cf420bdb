import { cli } from "../../src/cli/cli.ts";
import type { Io, Sink } from "../../src/cli/system/io.ts";
import type { Interrupts } from "../../src/cli/system/signals.ts";

/** The exit code and outputs of a command. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a command under test. */
export interface World {
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  /**
   * Width in columns of the terminal for both outputs. When absent, the outputs are not terminals.
   */
  readonly columns?: number;
  /** True if both outputs accept colors (default: true on a terminal without `NO_COLOR`). */
  readonly colors?: boolean;
  /** Height of the terminal in rows (default: 24). */
  readonly rows?: number;
  /** Called with each piece of text that is written to standard output. */
  readonly onStdout?: (text: string) => void;
  /** Called with each piece of text that is written to standard error. */
  readonly onStderr?: (text: string) => void;
  /** Simulates Ctrl-C. When absent, nothing interrupts the command. */
  readonly interrupts?: Interrupts;
  /** Current time in Unix milliseconds, or a clock (default: a time later than all test logs). */
  readonly now?: number | (() => number);
  /**
   * Environment variables that differ from those of the process; undefined removes a variable. Only
   * one command of a test file may use this at a time.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs one command in this process, with buffers for its input and outputs. */
export async function runCli(args: readonly string[], world: World = {}): Promise<Outcome> {
  const { columns, colors = columns !== undefined && !Deno.noColor } = world;
  const stdout = { ...bufferSink(columns, world.onStdout), colors };
  const stderr = { ...bufferSink(columns, world.onStderr), colors };
  const { interrupts = () => () => {}, now = Date.UTC(2030, 0, 1) } = world;
  const io: Io = {
    stdin: () => new Blob([world.stdin ?? ""]).stream(),
    stdout,
    stderr,
    window: {
      size: () => ({ columns: world.columns ?? 80, rows: world.rows ?? 24 }),
      onResize: () => () => {},
    },
    interrupts,
    now: () => typeof now === "number" ? now : now(),
  };
  const code = await withEnv(world.env, () => cli(args, io));
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/**
 * Calls `use` while `Deno.env.get` returns the values in `variables`. Does not change the
 * environment of the process, because all test files run in one process at the same time.
 */
export async function withEnv<T>(variables: World["env"], use: () => Promise<T>): Promise<T> {
  if (variables === undefined) return await use();
  const { get } = Deno.env;
  Deno.env.get = (name) =>
    Object.hasOwn(variables, name) ? variables[name] : get.call(Deno.env, name);
  try {
    return await use();
  } finally {
    Deno.env.get = get;
  }
}

/** Runs a command in this process, and presses Ctrl-C as soon as the command listens for it. */
export async function runUntilCtrlC(args: readonly string[]): Promise<Outcome> {
  let press: () => void = () => {};
  const listening = Promise.withResolvers<void>();
  const outcome = runCli(args, {
    interrupts: (act) => {
      press = act;
      listening.resolve();
      return () => {};
    },
  });
  await listening.promise;
  press();
  return await outcome;
}

function bufferSink(
  columns: number | undefined,
  onWrite: (text: string) => void = () => {},
): Sink & { text(): string } {
  const parts: string[] = [];
  return {
    write(text) {
      parts.push(text);
      onWrite(text);
    },
    columns: () => columns,
    text: () => parts.join(""),
  };
}

/** Runs `main.ts` in a separate process with only the given permissions. */
export async function runProcess(
  permissions: readonly string[],
  args: readonly string[],
  options: {
    stdin?: Uint8Array<ArrayBuffer>;
    cwd?: string;
    env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Outcome> {
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "--no-prompt", ...permissions, main, ...args],
    stdin: options.stdin ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
    cwd: options.cwd,
    env: { NO_COLOR: "1", ...options.env },
  }).spawn();
  if (options.stdin) {
    const writer = child.stdin.getWriter();
    await writer.write(options.stdin).catch(() => {});
    await writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
