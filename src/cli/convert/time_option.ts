import { UsageError } from "../../base/errors.ts";
import { TIME_NOTATIONS, type TimeNotation } from "../../traffic/accesslog/read/times/notations.ts";
import { ZonedTimeReader } from "../../traffic/accesslog/read/times/zoned_time.ts";
import type { Args } from "../command/command.ts";

const CLF = /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}$/;
const ISO = /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Examples of times that the options accept, shown in error messages. */
const TIME_SHAPES = "2026-11-21, 2026-11-21T10:00:00Z, or a log's 21/Nov/2026:10:00:00 +0000 " +
  "(without a zone: in the zone of --time-zone, by default UTC)";

/**
 * Parses the option `name`, a time in ISO 8601 or in the format of access logs. Returns Unix
 * milliseconds, or undefined if the option is absent. A time without a zone is in `timeZone`, by
 * default UTC. Throws UsageError if the time is invalid.
 */
export function timeOption(
  args: Args,
  name: string,
  timeZone: string | undefined,
): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const ms = parseTimeOption(text, timeZone);
  if (ms !== undefined) return ms;
  throw new UsageError(`--${name} cannot be ${text}: expected a time, such as ${TIME_SHAPES}`);
}

function parseTimeOption(
  text: string,
  timeZone: string | undefined,
): number | undefined {
  if (CLF.test(text)) return readTime("clf", text, timeZone);
  const found = ISO.exec(text);
  if (found === null) return undefined;
  const [, date, clock = "T00:00", seconds = ":00", zone = ""] = found;
  return readTime("iso", date + clock + seconds + zone, timeZone);
}

function readTime(
  notation: TimeNotation,
  text: string,
  timeZone: string | undefined,
): number | undefined {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const reader = TIME_NOTATIONS[notation].reader("");
  const zoned = timeZone === undefined ? reader : new ZonedTimeReader(reader, timeZone);
  const ms = zoned.read(view, bytes, 0, bytes.length, -1);
  return ms < 0 ? undefined : ms;
}
