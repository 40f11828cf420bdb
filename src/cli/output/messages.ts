import { formatMs } from "../../base/format.ts";
import { annotation, safeJson, safeText, shellWord, wrapWords } from "../../base/safe_text.ts";
import { type Note, noteLevel } from "../../convert/notes/notes.ts";
import { type Diagnostic, formatPath, type TextPlace } from "../../plan/rules/diagnostic.ts";
import { hideAllPasswords, hidePasswords } from "../../plan/text/user_info.ts";
import type { Args } from "../command/command.ts";
import type { Io, Sink } from "../system/io.ts";

/** Format of notes on standard error. */
export type NoteFormat = "text" | "json";

/**
 * Prints each note on one line of standard error. `text` prints `warning[code] subject: message`,
 * or `info[code] subject: message` if the note needs no action. On a terminal, long lines are
 * wrapped between words. `json` prints one object per line with `level`, `code`, `subject` and
 * `message`.
 */
export function printNotes(notes: readonly Note[], format: NoteFormat, io: Io): void {
  const lines = notes.map((note) => formatNote(note, format));
  const shown = format === "text" ? fitToTerminal(lines, io.stderr) : lines;
  const colored = format === "text" && io.stderr.colors ? shown.map(colorCode) : shown;
  io.stderr.write(colored.map((line) => line + "\n").join(""));
}

/** Number of spaces at the start of each continuation line. */
const INDENT = 2;

export function fitToTerminal(lines: readonly string[], sink: Sink): string[] {
  const columns = sink.columns();
  if (columns === undefined) return [...lines];
  return lines.map((line) => wrapWords(line, columns, INDENT).join("\n"));
}

const COLORS: Readonly<Record<string, number>> = { error: 31, warning: 33, info: 2 };

/** Colors the level and the code of a note or a diagnostic. */
function colorCode(text: string): string {
  return text.replace(
    /(error|warning|info)\[[\w-]+\]/,
    (code, level) => `\x1b[${COLORS[level]}m${code}\x1b[0m`,
  );
}

/** Formats a note as `warning[code] subject: message` or `info[code] …`, without a newline. */
export function noteText(note: Note): string {
  const { code, subject, message } = note;
  return safeText(hidePasswords(`${noteLevel(note)}[${code}] ${subject}: ${message}`));
}

function formatNote(note: Note, format: NoteFormat): string {
  if (format === "text") return noteText(note);
  const { code, subject, message } = note;
  return safeJson(hideAllPasswords({ level: noteLevel(note), code, subject, message }));
}

const SHOW_AFTER_MS = 500;
const REDRAW_MS = 100;

/** Receives the progress of a conversion. */
export interface ConvertProgress {
  (done: number, total: number | undefined): void;
}

/** A progress line on a terminal. It disappears at the end of its scope. */
export interface ProgressLine extends Disposable {
  readonly update: ConvertProgress;
  /** Removes the line. Call it before anything else is written. */
  clear(): void;
}

export function progressLine(
  sink: Sink,
  now: () => number = () => performance.now(),
): ProgressLine {
  const columns = sink.columns();
  const start = now();
  let drawn = 0;
  function clear(): void {
    if (drawn > 0) sink.write("\r\x1b[K");
    drawn = 0;
  }
  return {
    update(done, total) {
      const time = now();
      if (columns === undefined || time - start < SHOW_AFTER_MS) return;
      if (time - drawn < REDRAW_MS) return;
      drawn = time;
      sink.write(`\r\x1b[K${words(done, total, time - start)}`.slice(0, columns + 3));
    },
    clear,
    [Symbol.dispose]: clear,
  };
}

function words(done: number, total: number | undefined, elapsedMs: number): string {
  const perMs = done / elapsedMs;
  const speed = `${megabytes(done)} read, ${megabytes(perMs * 1000)}/s`;
  if (!total) return speed;
  const percent = Math.floor((100 * done) / total);
  return `${percent}% of ${megabytes(total)}, ${megabytes(perMs * 1000)}/s, ` +
    `${formatMs(Math.ceil((total - done) / perMs / 1_000) * 1_000)} left`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;
}

/** Values of `--format` and `--warnings` for which `printNext` prints nothing. */
const FOR_PROGRAMS = ["json", "github", "html"];

/**
 * Prints the suggested next step, as `next: …`, to standard error. Hides passwords in URLs. Prints
 * nothing with `--quiet`, or if `--format` or `--warnings` requests an output format for programs,
 * such as `json`.
 */
export function printNext(text: string, args: Args, io: Io): void {
  const formats = [args.text("format"), args.text("warnings")];
  if (args.has("quiet") || formats.some((format) => FOR_PROGRAMS.includes(format ?? ""))) return;
  io.stderr.write(safeText(`next: ${hidePasswords(text)}`) + "\n");
}

/** Formats a command line in backticks. Quotes words that a shell would split. */
export function commandLine(...words: readonly string[]): string {
  return `\`${["rehearse", ...words].map(shellWord).join(" ")}\``;
}

/**
 * Reports whether an output goes to a named file, which means that the next command can read the
 * file.
 */
export function isNamed(path: string | undefined): path is string {
  return path !== undefined && path !== "-" && !path.startsWith("/dev/");
}

/**
 * Returns the next step to suggest if no request got a response. `servers` are the origins of the
 * targets, and `errors` are the messages of the errors, if known.
 */
export function checkAddress(servers: readonly string[], errors: readonly string[] = []): string {
  const all = servers.join(", ");
  const [address, running] = servers.length === 1
    ? ["the right address", "its server is running"]
    : ["the right addresses", "their servers are running"];
  const verb = servers.length === 1 ? "is" : "are";
  // A server that starts a TLS handshake is running.
  return errors.length > 0 && errors.every((error) => error.includes(": TLS handshake failed: "))
    ? `fix the TLS error above, or check that ${all} ${verb} ${address}`
    : `check that ${all} ${verb} ${address} and that ${running}`;
}

/**
 * Formats for printing diagnostics: `text` for people, `json` for programs, `github` for
 * annotations in pull requests.
 */
export const DIAGNOSTIC_FORMATS = ["text", "json", "github"] as const;
/** Format for printing diagnostics. */
export type DiagnosticFormat = typeof DIAGNOSTIC_FORMATS[number];

/** Diagnostic about a file. Has no position if the file could not be read. */
export type FileDiagnostic = Diagnostic & Partial<TextPlace>;

export function formatDiagnostics(
  diagnostics: readonly FileDiagnostic[],
  file: string,
  format: DiagnosticFormat,
  colors = false,
): string {
  return diagnostics.map((found) => {
    const { path, message, hint } = found;
    const diagnostic = { ...found, ...hideAllPasswords({ path, message, hint }) };
    const text = WRITERS[format](diagnostic, file);
    return colors && format === "text" ? colorCode(text) : text;
  }).join("");
}

/** Prints the diagnostics of one file to standard error as text. */
export function printDiagnostics(
  diagnostics: readonly FileDiagnostic[],
  file: string,
  io: Io,
): void {
  if (diagnostics.length > 0) {
    io.stderr.write(formatDiagnostics(diagnostics, file, "text", io.stderr.colors));
  }
}

const WRITERS: Record<DiagnosticFormat, (diagnostic: FileDiagnostic, file: string) => string> = {
  text: asText,
  json: asJson,
  github: asAnnotation,
};

function asText(diagnostic: FileDiagnostic, file: string): string {
  const { code, severity, path, message, hint, line, column } = diagnostic;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const subject = path.length > 0 ? `${formatPath(path)}: ` : "";
  const text = safeText(`${place}: ${severity}[${code}] ${subject}${message}`) + "\n";
  return text + snippet(diagnostic) + (hint ? `  hint: ${safeText(hint)}\n` : "");
}

function snippet({ line, before, after }: FileDiagnostic): string {
  if (before === undefined || after === undefined || before + after === "") return "";
  const number = ` ${line} `;
  const shown = safeText(before);
  return `${number}| ${shown}${safeText(after)}\n` +
    `${" ".repeat(number.length)}| ${" ".repeat(shown.length)}^\n`;
}

function asJson(diagnostic: FileDiagnostic, file: string): string {
  const { code, severity, path, message, hint, line, column } = diagnostic;
  return safeJson({
    file,
    line,
    column,
    severity,
    code,
    path: formatPath(path),
    message,
    hint,
  }) + "\n";
}

function asAnnotation(diagnostic: FileDiagnostic, file: string): string {
  const { code, severity, path, message, hint, line, column } = diagnostic;
  const subject = path.length > 0 ? `${formatPath(path)}: ` : "";
  const text = subject + message + (hint ? ` (${hint})` : "");
  return annotation(severity, { file, line, col: column, title: code }, text);
}
