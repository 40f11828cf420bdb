import { endpointsByArrival } from "./endpoint_order.ts";
import type { TrafficProfile } from "./traffic_profile.ts";

/** The first member of a profile's text, and its version. */
export const PROFILE_SCHEMA = "rehearse-profile/1";

/**
 * A profile as JSON text that `parseProfile` reads. Equal profiles give equal bytes: nothing in it is
 * a path, a time of writing or an order of hashing. Its members, all numbers being integers:
 *
 * - `schema`: `rehearse-profile/1`
 * - `bytes`, `lines`: length of the log it was made from, decompressed
 * - `requests`, `withQuery`, `withId`: lines that are requests; of them, those with a query string,
 *   and those in whose path an id was replaced
 * - `withoutZone`: `true` if timestamps without a zone were read as UTC; otherwise absent
 * - `malformed`: lines that could not be read, by reason
 * - `firstMalformed`: the first of them: `reason`, `offset` (bytes from 0), `line` (from 1), `text`
 *   (its beginning); absent when there is none
 * - `otherMalformed`: the first line of each other reason, in the order of the log; absent if there is
 *   none
 * - `seconds`: runs `[start, [requests, …]]` of seconds without a gap, `start` in UTC from 1970
 * - `endpoints`: `["METHOD route", requests, first]` in the order in which they were first met, which
 *   was at byte `first` of the log; the route is text of a plan (`${vars.id}`, `$${` for `${`)
 */
export function profileText(profile: TrafficProfile): string {
  const { bytes, lines, requests, withQuery, withId, tally } = profile;
  const [firstMalformed, ...otherMalformed] = tally.malformedLines();
  const head = JSON.stringify({
    schema: PROFILE_SCHEMA,
    bytes,
    lines,
    requests,
    withQuery,
    withId,
    ...(tally.withoutZone && { withoutZone: true }),
    malformed: tally.malformed,
    firstMalformed,
    ...(otherMalformed.length > 0 && { otherMalformed }),
  });
  const seconds = [...profile.secondRuns()].map(({ start, counts }) => `[${start},[${counts}]]`);
  const endpoints = [...endpointsByArrival(tally.endpoints.records)]
    .map((endpoint) => JSON.stringify(endpoint));
  return `${head.slice(0, -1)},\n"seconds":[\n${seconds.join(",\n")}],\n` +
    `"endpoints":[\n${endpoints.join(",\n")}]}\n`;
}

/** Whether text that begins so can only be meant as a profile. */
export function looksLikeProfile(head: Uint8Array): boolean {
  return /^\s*\{\s*"schema"\s*:\s*"rehearse-profile\//.test(new TextDecoder().decode(head.slice()));
}
