import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import type { LogNote } from "../notes/note.ts";
import { plural } from "../../base/format.ts";
import { timeText } from "./gaps.ts";

/** Earliest plausible time in Unix seconds: 1990-01-01T00:00:00Z, before the first web server. */
const EARLIEST = 631_152_000;
/** Maximum difference, in seconds, tolerated between the clocks of the server and this machine. */
const TOLERANCE_SECONDS = 300;

/**
 * Returns a warning if requests are dated before 1990 or more than 5 minutes after `now` (Unix
 * milliseconds), or undefined otherwise. If `now` is omitted, the check for the future is skipped.
 */
export function oddTimes(
  profile: TrafficProfile,
  span: TimeSpan,
  now: number = Infinity,
): LogNote | undefined {
  const latest = now / 1_000 + TOLERANCE_SECONDS;
  if (span.first >= EARLIEST && span.last <= latest) return undefined;
  let [past, future] = [0, 0];
  let firstPast: number | undefined;
  let firstFuture: number | undefined;
  profile.forEachSecond((second, requests) => {
    if (second < EARLIEST) [past, firstPast] = [past + requests, firstPast ?? second];
    else if (second > latest) [future, firstFuture] = [future + requests, firstFuture ?? second];
  });
  const found = [
    ...(firstPast === undefined ? [] : [dated(past, "before 1990", firstPast)]),
    ...(firstFuture === undefined ? [] : [dated(future, "in the future", firstFuture)]),
  ];
  if (found.length === 0) return undefined;
  return {
    code: "odd-times",
    subject: "timestamps",
    message: `${found.join(", and ")}; check the clock and the time zone of the server, or ` +
      "exclude such requests with `--since` and `--until`",
  };
}

function dated(count: number, when: string, first: number): string {
  return `${plural(count, "request")} ${count === 1 ? "is" : "are"} dated ${when} ` +
    `(first: ${timeText(first)})`;
}
