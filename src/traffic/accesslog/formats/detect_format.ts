import { RequestReader } from "../lines/request_reader.ts";
import { WRAPPERS } from "../lines/wrappers.ts";
import { SLACK } from "../whole_lines.ts";
import { COMBINED, FORMATS } from "./formats.ts";
import type { LogFormat } from "./log_format.ts";

const LF = 0x0a;
/** Lines that a format is told by. */
const MOST_LINES = 100;

/** Whether at least every second line of a log that begins so is read as the combined format. */
export function isPlainLog(head: Uint8Array): boolean {
  const lines = firstLines(head, Infinity);
  const requests = readable(lines, COMBINED);
  return requests > 0 && requests * 2 >= lines.lines.length - 1;
}

/** The one of `formats` that most lines of a log that begins so can be read in; undefined if none. */
export function detectFormat(
  head: Uint8Array,
  formats: readonly LogFormat[] = FORMATS,
): LogFormat | undefined {
  const lines = firstLines(head, MOST_LINES);
  const first = lines.lines.find(({ start, end }) => end > start) ?? { start: 0, end: head.length };
  const text = new TextDecoder().decode(lines.bytes.slice(first.start, first.end));
  const wrapper = WRAPPERS.find(({ shape }) => shape.test(text));
  const candidates = wrapper === undefined
    ? formats
    : [...formats.map((format) => ({ ...format, wrapper })), ...formats];
  let best: LogFormat | undefined;
  let most = 0;
  for (const format of candidates) {
    const count = readable(lines, format);
    if (count > most) [best, most] = [format, count];
  }
  return best;
}

/** Whether a line of text that begins so can be read as a request in the combined format. */
export function looksLikeAccessLog(head: Uint8Array): boolean {
  return readable(firstLines(head, Infinity), COMBINED) > 0;
}

function readable({ bytes, lines }: Lines, format: LogFormat): number {
  const reader = new RequestReader(format);
  const view = new DataView(bytes.buffer);
  return lines.filter(({ start, end }) => reader.read(bytes, view, start, end) === undefined)
    .length;
}

/** Where lines start and where their LFs stand in bytes that `SLACK` more can be read behind. */
interface Lines {
  readonly bytes: Uint8Array;
  readonly lines: readonly { readonly start: number; readonly end: number }[];
}

/** The first lines, `most` of them; the last one may be cut. */
function firstLines(head: Uint8Array, most: number): Lines {
  const bytes = new Uint8Array(head.length + 1 + SLACK);
  bytes.set(head);
  bytes[head.length] = LF;
  const lines: { start: number; end: number }[] = [];
  for (let start = 0; start < head.length && lines.length < most;) {
    const end = bytes.indexOf(LF, start);
    lines.push({ start, end });
    start = end + 1;
  }
  return { bytes, lines };
}
