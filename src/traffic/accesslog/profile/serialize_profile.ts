import { iterateEndpoints } from "./endpoint_order.ts";
import type { CollectedRecord, FilterRecord } from "./profile_content.ts";
import type { TrafficProfile } from "./traffic_profile.ts";

/**
 * Value of `schema`, the first member of a serialized profile: the type and the version of the
 * file.
 */
export const PROFILE_SCHEMA = "rehearse-profile/2";

/**
 * Serializes a profile as JSON that `parseProfile` reads. Equal profiles produce identical bytes:
 * the text contains no file path and no creation time, and does not depend on hash order. The
 * members are as follows (all numbers are integers):
 *
 * - `schema`: `rehearse-profile/2`
 * - `bytes`, `lines`: size of the decompressed log in bytes, and its number of lines
 * - `requests`, `withQuery`, `withId`: number of requests, of requests with a query string, and of
 *   requests whose path contained an id that was replaced
 * - `withoutZone`: `true` if timestamps without a zone were read as UTC; otherwise absent
 * - `malformed`: number of lines that could not be read, by reason
 * - `firstMalformed`: the first line that could not be read, as `reason`, `offset` (in bytes, from
 *   0), `line` (from 1), `text` (the beginning of the line) and, if it is in a known log format,
 *   `format`; absent if every line was read
 * - `otherMalformed`: the first malformed line for each other reason, in the order of the log;
 *   absent if there are no other reasons
 * - `seconds`: ranges `[start, [requests, …]]` of consecutive seconds; `start` is in Unix seconds
 * - `endpoints`: list of `["METHOD route", requests, first]`, in order of first occurrence; `first`
 *   is the log offset of the first line with the endpoint, and the route is plan text (`${vars.id}`
 *   for an id, `$${` for a recorded `${`)
 * - `filters`: list of the filter options, each with `option`, `value`, `dropped` (number of
 *   requests) and optionally `kept` (a description); absent without filters
 * - `collected`: contents of the collectors, by kind of collector, each with `data` and optionally
 *   `settings`; absent without collectors
 */
export function serializeProfile(
  profile: TrafficProfile,
  filters: readonly FilterRecord[] = [],
  collected: ReadonlyMap<string, CollectedRecord> = new Map(),
): string {
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
    ...(filters.length > 0 && {
      filters: filters.map(({ option, value, dropped, kept }) => ({
        option,
        value,
        dropped,
        kept,
      })),
    }),
  });
  const seconds = [...profile.secondRuns()].map(({ start, counts }) => `[${start},[${counts}]]`);
  const endpoints = [...iterateEndpoints(tally.endpoints.records)]
    .map((endpoint) => JSON.stringify(endpoint));
  return `${head.slice(0, -1)},\n"seconds":[\n${seconds.join(",\n")}],\n` +
    `"endpoints":[\n${endpoints.join(",\n")}]${collectedText(collected)}}\n`;
}

function collectedText(collected: ReadonlyMap<string, CollectedRecord>): string {
  if (collected.size === 0) return "";
  const kinds = [...collected].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([kind, record]) => `${JSON.stringify(kind)}:${JSON.stringify(record)}`);
  return `,\n"collected":{\n${kinds.join(",\n")}}`;
}

/** Reports whether `head`, the first bytes of a file, is the beginning of a serialized profile. */
export function looksLikeProfile(head: Uint8Array): boolean {
  return /^\s*\{\s*"schema"\s*:\s*"rehearse-profile\//.test(new TextDecoder().decode(head.slice()));
}
