import { FORMAT_NAMES } from "../../traffic/accesslog/formats/formats.ts";
import { detectFormat } from "../../traffic/accesslog/detect/detect_format.ts";
import { guessFormat } from "../../traffic/accesslog/detect/guess_format.ts";

/**
 * Returns a hint for an input that could not be read: its likely format, the command to try and the known
 * formats. If `head`, its first bytes, is in a known format, the hint is to remove `--log-format`.
 * `name` is the path as given, or `standard input`.
 */
export function unknownFormatHint(head: Uint8Array, name: string): string {
  const found = detectFormat(head);
  if (found !== undefined) return `remove --log-format: the lines are in the format ${found.name}`;
  const guess = guessFormat(head);
  const known = `known formats: ${FORMAT_NAMES.join(", ")}`;
  const file = name === "standard input" ? "FILE" : quoted(name);
  if (guess?.filter !== undefined) {
    return `it looks like ${guess.looksLike}; try \`${guess.filter} ${file} | rehearse convert - ` +
      "--from accesslog\`";
  }
  const looks = guess === undefined ? "" : `it looks like ${guess.looksLike}; `;
  const input = name === "standard input" ? "-" : file;
  const format = guess?.format ?? "FORMAT";
  return `${looks}try \`rehearse convert ${input} --from accesslog --log-format ${
    quoted(format)
  }\`` +
    (guess?.format === undefined
      ? ", where FORMAT is nginx's `log_format` or Apache's `LogFormat`"
      : "") +
    `; ${known}`;
}

/** Quotes text as one word for a shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
