import { safeJson, safeText } from "../../base/safe_text.ts";
import { type Diagnostic, formatPath, type TextPlace } from "../../plan/rules/diagnostic.ts";
import { hideAllPasswords } from "../../plan/text/user_info.ts";
import { annotation } from "../../report/ci.ts";
import type { Io } from "../system/io.ts";

/**
 * Formats for printing diagnostics: `text` for people, `json` for programs, `github` for
 * annotations in pull requests.
 */
export const DIAGNOSTIC_FORMATS = ["text", "json", "github"] as const;
/** Format for printing diagnostics. */
export type DiagnosticFormat = typeof DIAGNOSTIC_FORMATS[number];

/** Diagnostic about a file. Has no position if the file could not be read. */
export type FileDiagnostic = Diagnostic & Partial<TextPlace>;

/**
 * Formats the diagnostics of one file. Each of them ends with a newline. Hides passwords in URLs.
 */
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
    return colors && format === "text" ? colorSeverity(text) : text;
  }).join("");
}

/** Colors the severity and the code of a diagnostic: red for an error, yellow for a warning. */
function colorSeverity(text: string): string {
  return text.replace(
    /(error|warning)\[[\w-]+\]/,
    (code, severity) => `\x1b[${severity === "error" ? 31 : 33}m${code}\x1b[0m`,
  );
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

/**
 * Formats the source line with a caret under the column. Returns an empty string if the position is
 * unknown.
 */
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
