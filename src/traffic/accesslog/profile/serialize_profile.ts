import { iterateEndpoints } from "./endpoint_order.ts";
import type { TrafficProfile } from "./traffic_profile.ts";

/** Value of the first member of a profile's text: its type and version. */
export const PROFILE_SCHEMA = "rehearse-profile/1";

/**
 * Serializes a profile as JSON, which `parseProfile` reads. Equal profiles give equal bytes: the text
 * contains no path, no time of writing and no hash order. Members (all numbers are integers):
 *
 * - `schema`: `rehearse-profile/1`
 * - `bytes`, `lines`: length of the decompressed log
 * - `requests`, `withQuery`, `withId`: lines that are requests; requests with a query string; requests
 *   in whose path an id was replaced
 * - `withoutZone`: `true` if timestamps without a zone were read as UTC; otherwise absent
 * - `malformed`: lines that could not be read, by reason
 * - `firstMalformed`: the first of them: `reason`, `offset` (bytes from 0), `line` (from 1), `text`
 *   (its beginning); absent if every line was read
 * - `otherMalformed`: the first line of each other reason, in the order of the log; absent if there is
 *   no other reason
 * - `seconds`: runs `[start, [requests, …]]` of consecutive seconds; `start` is in Unix seconds
 * - `endpoints`: `["METHOD route", requests, first]` in order of first occurrence, at byte `first` of
 *   the log; the route is plan text (`${vars.id}`, `$${` for `${`)
 */
export function serializeProfile(profile: TrafficProfile): string {
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
  const endpoints = [...iterateEndpoints(tally.endpoints.records)]
    .map((endpoint) => JSON.stringify(endpoint));
  return `${head.slice(0, -1)},\n"seconds":[\n${seconds.join(",\n")}],\n` +
    `"endpoints":[\n${endpoints.join(",\n")}]}\n`;
}

/** Reports whether `head`, the beginning of a file, is that of a profile. */
export function looksLikeProfile(head: Uint8Array): boolean {
  return /^\s*\{\s*"schema"\s*:\s*"rehearse-profile\//.test(new TextDecoder().decode(head.slice()));
}
