import { FORMATS } from "../traffic/accesslog/formats/formats.ts";
import { detectFormat } from "../traffic/accesslog/formats/detect_format.ts";
import { guessFormat } from "../traffic/accesslog/formats/guess_format.ts";

/**
 * Returns what to do with an input that begins so and could not be read: what it looks like, the command
 * to try and the known formats; or, if it is in a known one, to leave `--log-format` out. `name` is what
 * the user called it.
 */
export function unknownFormatHint(head: Uint8Array, name: string): string {
  const found = detectFormat(head);
  if (found !== undefined) return `leave it out: its lines are in the format ${found.name}`;
  const guess = guessFormat(head);
  const known = `known formats: ${[...new Set(FORMATS.map((format) => format.name))].join(", ")}`;
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

/** Text as a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
