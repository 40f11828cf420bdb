import { detectFormat, firstLines } from "../../traffic/accesslog/detect/detect_format.ts";
import type { LogFormat } from "../../traffic/accesslog/read/log_format.ts";
import { RequestReader } from "../../traffic/accesslog/read/request_reader.ts";
import { parseTimeZone } from "../../traffic/accesslog/read/times/zoned_time.ts";

/** Matches a time zone at the end of a timestamp. */
const ZONE = /(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/;

/**
 * Returns the time zone of the first timestamp in `head`, the beginning of a log. Returns `UTC` if
 * the timestamp has no zone. The result is a valid zone for `ZonedTimeReader`. `formats` are the
 * formats to choose from (default: all known formats).
 */
export function loggedZone(head: Uint8Array, formats?: readonly LogFormat[]): string {
  const format = detectFormat(head, formats);
  if (format === undefined) return "UTC";
  const reader = new RequestReader(format);
  const { bytes, lines } = firstLines(head);
  const view = new DataView(bytes.buffer);
  const isRequest = (start: number, end: number) =>
    reader.read(bytes, view, start, end) === undefined;
  if (!lines.some(({ start, end }) => isRequest(start, end))) return "UTC";
  const time = new TextDecoder().decode(reader.request.raw("time").slice());
  const zone = ZONE.exec(time)?.[0].replace("GMT", "UTC") ?? "UTC";
  const name = parseTimeZone(zone) ?? "UTC";
  return name === "+00:00" ? "UTC" : name;
}
