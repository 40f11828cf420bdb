import { OutputError, systemMessage } from "../../base/errors.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

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

/** The terminal window of the process. */
export interface TerminalWindow {
  /** Returns the size of the window in characters, or 80 × 24 if it is unknown. */
  size(): { readonly columns: number; readonly rows: number };
  /**
   * Calls `act` whenever the size of the window changes. Returns a function that stops listening.
   */
  onResize(act: () => void): () => void;
}

/**
 * Calls `act` on each Ctrl-C or other request to end the process. Returns a function that stops
 * listening.
 */
export type Interrupts = (act: () => void) => () => void;

/**
 * The program's access to standard streams, the terminal, signals and the clock. Tests provide
 * buffers instead.
 */
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
  /**
   * Asks whether to continue. Returns false if standard input is not a terminal.
   * Absent in tests.
   */
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
  /** Returns the current time in Unix milliseconds. */
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
 * Calls `act` on each signal that requests termination of this process. Returns a function that
 * stops listening.
 */
function systemInterrupts(act: () => void): () => void {
  const listeners = endingSignals().map((signal) => [signal, ignoreCopies(act)] as const);
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  stopEarlyExit();
  return () => {
    for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
  };
}

/**
 * Maximum time in ms between two copies of a signal. A signal to a process group reaches this
 * process directly and also through programs that forward it, such as the npm package and `npx`.
 */
const COPY_MS = 250;

/** Returns a function that calls `act`, unless it did so within the last 250 ms. */
export function ignoreCopies(
  act: () => void,
  now: () => number = () => performance.now(),
): () => void {
  let last = -Infinity;
  return () => {
    const at = now();
    if (at - last < COPY_MS) return;
    last = at;
    act();
  };
}

let stopEarlyExit = () => {};

/**
 * If this process has id 1, as in a container, calls `exit` with an exit code when a signal
 * requests termination before the command listens for signals. For process 1, the kernel ignores a
 * signal without a listener.
 */
export function exitOnEarlySignal(exit: (code: number) => void, pid: number = Deno.pid): void {
  if (pid !== 1) return;
  const listeners = [["SIGINT", 2], ["SIGTERM", 15]] as const;
  const added = listeners.map(([signal, number]) => {
    const listener = () => exit(128 + number);
    Deno.addSignalListener(signal, listener);
    return () => Deno.removeSignalListener(signal, listener);
  });
  stopEarlyExit = () => {
    stopEarlyExit = () => {};
    for (const remove of added) remove();
  };
}

/**
 * Returns the signals that request termination of this process: SIGINT (Ctrl-C), SIGTERM (not on
 * Windows) and SIGHUP (a closed terminal). SIGHUP is included only if an output is a terminal, so
 * that `nohup` works.
 */
function endingSignals(): Deno.Signal[] {
  if (Deno.build.os === "windows") return ["SIGINT"];
  const isSeen = Deno.stdout.isTerminal() || Deno.stderr.isTerminal();
  return ["SIGINT", "SIGTERM", ...(isSeen ? ["SIGHUP"] as const : [])];
}

/**
 * Returns the value of an environment variable, or undefined if it is not set or the permission to
 * read it is missing.
 */
export function readGrantedEnv(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) : undefined;
}

/**
 * Abort signals of a run. The first Ctrl-C stops the run gracefully, and the second one aborts it.
 */
export interface StopSignals {
  /** Aborted at the first Ctrl-C: no further iteration may start. */
  readonly stop: AbortSignal;
  /** Aborted at the second Ctrl-C: running iterations must be canceled. */
  readonly kill: AbortSignal;
  /** Has the same effect as Ctrl-C. */
  interrupt(): void;
  /** Stops listening for Ctrl-C. Afterwards, Ctrl-C ends the process. */
  release(): void;
}

/** Listens for Ctrl-C. Calls `onStop` at the first one, before it aborts the signal `stop`. */
export function listenForInterrupts(
  io: Pick<Io, "interrupts">,
  onStop: () => void,
): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) return kill.abort();
    onStop();
    stop.abort();
  };
  const release = io.interrupts(interrupt);
  return { stop: stop.signal, kill: kill.signal, interrupt, release };
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

/**
 * Reports whether the process is in the foreground of its terminal. Returns false if this is
 * unknown, for example because a permission is missing.
 */
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
