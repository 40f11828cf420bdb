import { AccessLogScanner } from "../scanner.ts";
import { RequestReader } from "../lines/request_reader.ts";
import { WRAPPERS } from "../lines/wrappers.ts";
import { Tally } from "../tally.ts";
import { FORMATS } from "./formats.ts";
import type { LogFormat } from "./log_format.ts";

const LF = 0x0a;
/** Lines that a format is told by. */
const MOST_LINES = 100;

/** Whether the plain scanner reads at least every second line of a log that begins so. */
export function isPlainLog(head: Uint8Array): boolean {
  const tally = new Tally();
  const scanner = new AccessLogScanner(tally);
  scanner.start(0, 0);
  scanner.scan(head);
  const lines = scanner.finish();
  return tally.requests > 0 && tally.requests * 2 >= lines - 1;
}

/** The one of `formats` that most lines of a log that begins so can be read in; undefined if none. */
export function detectFormat(
  head: Uint8Array,
  formats: readonly LogFormat[] = FORMATS,
): LogFormat | undefined {
  const lines = linesOf(head);
  const text = new TextDecoder().decode(lines.find((line) => line.length > 1)?.slice() ?? head);
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

function readable(lines: readonly Uint8Array[], format: LogFormat): number {
  const reader = new RequestReader(format);
  return lines.filter((line) => {
    const view = new DataView(line.buffer, line.byteOffset, line.byteLength);
    return reader.read(line, view, 0, line.length - 1) === undefined;
  }).length;
}

/** The first lines, each with its LF. */
function linesOf(head: Uint8Array): Uint8Array[] {
  const whole = new Uint8Array(head.length + 1);
  whole.set(head);
  whole[head.length] = LF;
  const lines: Uint8Array[] = [];
  for (let start = 0; start < whole.length && lines.length < MOST_LINES;) {
    const end = whole.indexOf(LF, start) + 1;
    lines.push(whole.subarray(start, end));
    start = end;
  }
  return lines;
}
