import { OutputError, systemMessage } from "../../base/errors.ts";
import {
  endingSignals,
  type Interrupts,
  startWatchdog,
  systemInterrupts,
  type Watchdog,
} from "./signals.ts";

/** Text output, such as standard output. */
export interface Sink {
  /**
   * Writes the whole text. Throws `Deno.errors.BrokenPipe` if the reader closed the pipe, and
   * OutputError if writing fails for another reason.
   */
  write(text: string): void;
  /** Returns the width of the terminal in columns, or undefined if the output is not a terminal. */
  columns(): number | undefined;
  /** True if the output accepts colors, and the user wants them. Absent means false. */
  readonly colors?: boolean;
}

export interface TerminalWindow {
  /** Returns the size of the window in characters, or 80 × 24 if it is unknown. */
  size(): { readonly columns: number; readonly rows: number };
  onResize(act: () => void): () => void;
}

export interface Io {
  /** Returns the stream of standard input. The first call opens it. */
  stdin(): ReadableStream<Uint8Array>;
  readonly stdout: Sink;
  /**
   * Output for progress, notes and errors. Writing to it never throws, so that the command
   * continues even if nobody reads the output.
   */
  readonly stderr: Sink;
  readonly window: TerminalWindow;
  /** Listens for Ctrl-C and other requests to end the process. */
  readonly interrupts: Interrupts;
  readonly confirm?: (question: string) => boolean;
  /** Reports whether a person can respond to a question. Absent in tests. */
  readonly isInteractive?: () => boolean;
  /**
   * Calls `act` with each key that is pressed in the terminal. Returns a function that stops the
   * calls, or undefined if the process cannot read keys. Absent in tests.
   */
  readonly keys?: (act: (key: string) => void) => (() => void) | undefined;
  /**
   * Asks for a line of text. An empty line gives `fallback`. Returns null if the user ends the
   * input instead (Ctrl-D), and undefined if standard input is not a terminal.
   */
  readonly ask?: (question: string, fallback: string) => string | null | undefined;
  /** Starts a thread that kills the process if the main thread is blocked. Absent in tests. */
  readonly watchdog?: () => Watchdog;
  now(): number;
}

/** Creates an `Io` that uses the real streams, terminal, signals and clock of the process. */
export function denoIo(): Io {
  return {
    stdin: () => Deno.stdin.readable,
    stdout: sink(Deno.stdout, "standard output"),
    stderr: forgiving(sink(Deno.stderr, "standard error")),
    window: { size: windowSize, onResize },
    interrupts: systemInterrupts,
    confirm: (question) => Deno.stdin.isTerminal() && confirm(question),
    isInteractive: () => Deno.stdin.isTerminal() && Deno.stdout.isTerminal(),
    keys: readKeys,
    ask(question, fallback) {
      if (!Deno.stdin.isTerminal()) return undefined;
      const entered = prompt(fallback === "" ? question : `${question} [${fallback}]`);
      return entered === "" ? fallback : entered;
    },
    watchdog: () => startWatchdog(endingSignals()),
    now: Date.now,
  };
}

/**
 * Reports whether to use colors: always or never according to `FORCE_COLOR` or `CLICOLOR_FORCE`,
 * never if `NO_COLOR` is set or `TERM` is `dumb`, and otherwise only on a terminal. `FORCE_COLOR`
 * takes precedence over `NO_COLOR`, as in Deno and Node.
 */
function wantsColors(isTerminal: boolean): boolean {
  const forced = readGrantedEnv("FORCE_COLOR") || readGrantedEnv("CLICOLOR_FORCE");
  if (forced) return forced !== "0" && forced !== "false";
  return isTerminal && !Deno.noColor && readGrantedEnv("TERM") !== "dumb";
}

function sink(stream: typeof Deno.stdout, name: string): Sink {
  const encoder = new TextEncoder();
  return {
    colors: wantsColors(stream.isTerminal()),
    write(text: string): void {
      const bytes = encoder.encode(text);
      try {
        for (let done = 0; done < bytes.length;) done += stream.writeSync(bytes.subarray(done));
      } catch (error) {
        if (error instanceof Deno.errors.BrokenPipe) throw error;
        throw new OutputError(`cannot write to ${name}: ${systemMessage(error)}`, { cause: error });
      }
    },
    columns(): number | undefined {
      if (!stream.isTerminal()) return undefined;
      return windowSize().columns;
    },
  };
}

function forgiving({ write, columns, colors }: Sink): Sink {
  return {
    colors,
    write(text: string): void {
      try {
        write(text);
      } catch {
        // A closed pipe, a full disk or a closed terminal: the error cannot be reported anywhere.
      }
    },
    columns,
  };
}

function windowSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // A pseudo-terminal without a size reports 0.
    if (columns > 0 && rows > 0) return { columns, rows };
  } catch {
    // Not a terminal.
  }
  return { columns: 80, rows: 24 };
}

function onResize(act: () => void): () => void {
  // Windows has no SIGWINCH, but each redraw queries the size.
  if (Deno.build.os === "windows") return () => {};
  Deno.addSignalListener("SIGWINCH", act);
  return () => Deno.removeSignalListener("SIGWINCH", act);
}

/**
 * Returns the value of an environment variable, or undefined if it is not set. Throws
 * `Deno.errors.NotCapable` if the permission to read it is missing.
 */
export function readEnv(name: string): string | undefined {
  return Deno.env.get(name);
}

/**
 * Returns the value of an environment variable, or undefined if it is not set or the permission to
 * read it is missing.
 */
export function readGrantedEnv(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? readEnv(name) : undefined;
}

/**
 * Calls `act` with each key that is pressed in the terminal. Returns a function that stops the
 * calls. Returns undefined if standard input is not a terminal. Also returns undefined if the
 * process may run in the background, because the system stops a background process that reads keys.
 */
function readKeys(act: (key: string) => void): (() => void) | undefined {
  if (!Deno.stdin.isTerminal() || !isInForeground()) return undefined;
  try {
    // Ctrl-C still sends a signal.
    Deno.stdin.setRaw(true, { cbreak: Deno.build.os !== "windows" });
  } catch {
    return undefined;
  }
  let isListening = true;
  const bytes = new Uint8Array(64);
  const read = async () => {
    const decoder = new TextDecoder();
    while (isListening) {
      const size = await Deno.stdin.read(bytes);
      if (size === null) return;
      for (const key of decoder.decode(bytes.subarray(0, size), { stream: true })) {
        if (isListening) act(key);
      }
    }
  };
  // The terminal may be closed during the run.
  read().catch(() => {});
  return () => {
    if (!isListening) return;
    isListening = false;
    try {
      Deno.stdin.setRaw(false);
    } catch {
      // The terminal is closed.
    }
  };
}

function isInForeground(): boolean {
  const { os } = Deno.build;
  if (os === "windows") return true;
  try {
    if (os === "linux") {
      // The fields after the name in parentheses are: state, parent, process group, session,
      // terminal, and the process group in the foreground.
      const path = `/proc/${Deno.pid}/stat`;
      if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return false;
      const stat = Deno.readTextFileSync(path);
      const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return group === foreground;
    }
    if (Deno.permissions.querySync({ name: "run", command: "ps" }).state !== "granted") {
      return false;
    }
    const args = ["-o", "pgid=,tpgid=", "-p", String(Deno.pid)];
    const { stdout } = new Deno.Command("ps", { args, stdin: "null" }).outputSync();
    const [group, foreground] = new TextDecoder().decode(stdout).trim().split(/\s+/);
    return group === foreground;
  } catch {
    return false;
  }
}
