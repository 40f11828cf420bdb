import { OutputError } from "../base/errors.ts";
import { systemMessage } from "../base/system_message.ts";
import { endingSignals, type Interrupts, systemInterrupts } from "./interrupt.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

/** A destination of text. */
export interface Sink {
  /** Writes the whole text. Throws `Deno.errors.BrokenPipe` if the reader closed the pipe, and OutputError. */
  write(text: string): void;
  /** Returns the columns of the terminal, or undefined if it is not a terminal. */
  columns(): number | undefined;
}

/** The terminal window of the outputs. */
export interface TerminalWindow {
  /** Returns the size in characters; 80 x 24 if it is unknown. */
  size(): { readonly columns: number; readonly rows: number };
  /** Calls `act` on each change of the size, until the returned function is called. */
  onResize(act: () => void): () => void;
}

/** The program's access to the system; tests substitute buffers. */
export interface Io {
  /** Opens standard input on the first call. */
  stdin(): ReadableStream<Uint8Array>;
  readonly stdout: Sink;
  /** Progress, notes and errors. Never throws: the work continues if nobody reads. */
  readonly stderr: Sink;
  readonly window: TerminalWindow;
  /** Ctrl-C and other requests to end. */
  readonly interrupts: Interrupts;
  /** Starts a thread that ends the process when this thread is blocked; absent in tests. */
  readonly watchdog?: () => Watchdog;
  /** Returns the current time in Unix milliseconds. */
  now(): number;
}

/** Creates the access to the real system. */
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
        // A closed pipe, a full disk or a closed terminal: the error has nowhere to go.
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
  // Windows has no such signal; each redraw queries the size.
  if (Deno.build.os === "windows") return () => {};
  Deno.addSignalListener("SIGWINCH", act);
  return () => Deno.removeSignalListener("SIGWINCH", act);
}
