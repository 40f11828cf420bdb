import { OutputError } from "../base/errors.ts";
import { systemMessage } from "../base/system_message.ts";
import { endingSignals, type Interrupts, systemInterrupts } from "./interrupt.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/** Where text goes. */
export interface Sink {
  /** Writes all of it. Throws `Deno.errors.BrokenPipe` when nobody reads any more, else OutputError. */
  write(text: string): void;
  /** Columns of the terminal, or undefined when it is none. */
  columns(): number | undefined;
}

/** The window of the terminal that the outputs go to, where they go to one. */
export interface TerminalWindow {
  /** In characters. */
  size(): { readonly columns: number; readonly rows: number };
  /** Calls `act` whenever its size changes, until what it gave back is called. */
  onResize(act: () => void): () => void;
}

/** What the program has of the world; tests put buffers in its place. */
export interface Io {
  /** Standard input, opened at the first call. */
  stdin(): ReadableStream<Uint8Array>;
  readonly stdout: Sink;
  /** Where the work is told of. Never throws: when nobody can be told any more, the work goes on. */
  readonly stderr: Sink;
  readonly window: TerminalWindow;
  /** Ctrl-C. */
  readonly interrupts: Interrupts;
  /** Starts a thread that ends the process when this thread is blocked; absent in tests. */
  readonly watchdog?: () => Watchdog;
  /** Returns the current time in Unix milliseconds. */
  now(): number;
}

/** The real world. */
export function denoIo(): Io {
  return {
    stdin: () => Deno.stdin.readable,
    stdout: sink(Deno.stdout, "standard output"),
    stderr: forgiving(sink(Deno.stderr, "standard error")),
    window: { size: windowSize, onResize },
    interrupts: systemInterrupts,
    watchdog: () => startWatchdog(endingSignals()),
    now: Date.now,
  };
}

function sink(stream: typeof Deno.stdout, name: string): Sink {
  const encoder = new TextEncoder();
  return {
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

function forgiving({ write, columns }: Sink): Sink {
  return {
    write(text: string): void {
      try {
        write(text);
      } catch {
        // A closed pipe, a full disk, a terminal that is gone: there is nowhere to say so.
      }
    },
    columns,
  };
}

function windowSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // A pseudo-terminal that nobody gave a size says 0.
    if (columns > 0 && rows > 0) return { columns, rows };
  } catch {
    // No terminal.
  }
  return { columns: 80, rows: 24 };
}

function onResize(act: () => void): () => void {
  // Windows tells nobody; the next redraw looks for itself.
  if (Deno.build.os === "windows") return () => {};
  Deno.addSignalListener("SIGWINCH", act);
  return () => Deno.removeSignalListener("SIGWINCH", act);
}
