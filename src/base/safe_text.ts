import { eastAsianWidth } from "get-east-asian-width";

/** Characters that can control a terminal, or hide or reorder text. */
export const UNSAFE: RegExp =
  /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Co}|\p{Cs}|\p{Noncharacter_Code_Point}/gu;

/** Start of a GitHub Actions workflow command: `::name` in a new line, or `##[name]`. */
const WORKFLOW_COMMAND = /^\s*:(?=:)|##(?=\[)/g;

/** Escapes unsafe characters (`\x1b`) and the start of a CI workflow command (`\x3a:name`). */
export function safeText(text: string): string {
  const visible = text.replace(UNSAFE, escape);
  return visible.includes("::") || visible.includes("##[")
    ? visible.replace(WORKFLOW_COMMAND, (start) => start.replace(/[:#]/, escape))
    : visible;
}

function escape(character: string): string {
  const code = character.codePointAt(0)!;
  if (code <= 0xff) return "\\x" + code.toString(16).padStart(2, "0");
  if (code <= 0xffff) return "\\u" + code.toString(16).padStart(4, "0");
  return `\\u{${code.toString(16)}}`;
}

/** Replaces line breaks and other white space with single spaces, for one-line messages. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** Makes text safe to print, with at most `max` characters, including a final ellipsis. */
export function safeSnippet(text: string, max = 120): string {
  const safe = safeText(text.length > max * 2 ? start(text, max * 2) : text);
  return safe.length > max ? start(safe, max - 1) + "…" : safe;
}

/** UTF-16 code units, without half of a surrogate pair. */
function start(text: string, length: number): string {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length);
}

/** Serializes a value as JSON without characters that are unsafe in a terminal. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}]/gu,
    (c) =>
      c.split("").map((unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")).join(""),
  );
}

/** Quotes text, if necessary, so that a shell reads it as one word. */
export function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// Combining marks, which have no width.
const ZERO_WIDTH = /\p{Mn}|\p{Me}/u;
// deno-lint-ignore no-control-regex -- matches the escape sequences of `style`
const STYLES = /\x1b\[\d*m/g;
const ASCII = /^[ -~]*$/;

/** Returns the number of terminal columns of `text`, without its ANSI color sequences. */
export function textWidth(text: string): number {
  const plain = text.replace(STYLES, "");
  if (ASCII.test(plain)) return plain.length;
  let width = 0;
  for (const c of plain) width += charWidth(c);
  return width;
}

/** Shortens text without color sequences to at most `columns` terminal columns. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let cut = "";
  let width = 1;
  for (const c of text) {
    width += charWidth(c);
    if (width > columns) break;
    cut += c;
  }
  return columns < 1 ? "" : cut + "…";
}

function charWidth(c: string): number {
  if (c < "\u0300") return 1;
  return ZERO_WIDTH.test(c) ? 0 : eastAsianWidth(c.codePointAt(0)!);
}

/** Breaks text at spaces into lines of `columns`. Indents all but the first by `indent`. */
export function wrapWords(text: string, columns: number, indent = 0): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line.trim() !== "" && textWidth(longer) > columns) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else line = longer;
  }
  return [...lines, line];
}

/**
 * Formats the workflow command that adds an annotation to a GitHub job. Escapes the message and the
 * properties, so that recorded text is safe to print.
 */
export function annotation(
  severity: "error" | "warning" | "notice",
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const list = Object.entries(properties).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(",");
  return `::${severity} ${list}::${escapeData(message)}\n`;
}

function escapeData(text: string): string {
  return safeText(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
