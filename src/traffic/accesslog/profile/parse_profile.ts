import { InputError } from "../../../base/errors.ts";
import { literalText } from "../../../plan/text/template.ts";
import { FORMAT_NAMES } from "../formats/formats.ts";
import { MALFORMED_REASONS } from "../read/line_splitter.ts";
import { ID_PLACEHOLDER, type MalformedLine } from "../read/log_request.ts";
import {
  checkInteger,
  checkList,
  checkRecord,
  checkText,
  InvalidProfile,
  parseSeconds,
} from "./profile_checks.ts";
import { MAX_REQUESTS } from "./tally.ts";
import { TrafficProfile } from "./traffic_profile.ts";

/** A filter option, as stored in a traffic profile. */
export interface FilterRecord {
  /** The option, such as `--status`. */
  readonly option: string;
  /** Value of the option as text; empty if the option has no value. */
  readonly value: string;
  readonly dropped: number;
  /**
   * Description of the requests that the filter keeps. Absent if `option` and `value` already
   * describe them.
   */
  readonly kept?: string;
}

/** Contents of a collector, as stored in a traffic profile. */
export interface CollectedRecord {
  readonly settings?: unknown;
  readonly data: unknown;
}

/** Content of a traffic profile. */
export interface ProfileContent {
  readonly profile: TrafficProfile;
  readonly filters: readonly FilterRecord[];
  /** Contents of the collectors, by kind. They are not validated. */
  readonly collected: ReadonlyMap<string, CollectedRecord>;
}

/**
 * Value of `schema`, the first member of a serialized profile: the type and the version of the
 * file.
 */
const PROFILE_SCHEMA = "rehearse-profile/2";

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
  const { bytes, lines, requests, withQuery, withId } = profile;
  const [firstMalformed, ...otherMalformed] = profile.malformedLines();
  const head = JSON.stringify({
    schema: PROFILE_SCHEMA,
    bytes,
    lines,
    requests,
    withQuery,
    withId,
    ...(profile.withoutZone && { withoutZone: true }),
    malformed: profile.malformedByReason,
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
  const seconds = profile.seconds.runs().map(({ start, counts }) => `[${start},[${counts}]]`);
  const endpoints = Array.from(profile.table.entries(), (entry) => JSON.stringify(entry));
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

/**
 * Parses a profile from text that `serializeProfile` wrote. `name` is the file name to use in
 * messages.
 *
 * The text is not trusted. Throws `InputError` if it is not valid JSON, has an unsupported version,
 * contains counts that do not add up, or contains a route that interpolates anything but the id
 * placeholder.
 */
export function parseProfile(text: string, name: string): ProfileContent {
  return checkProfile(name, () => {
    const read = checkRecord(JSON.parse(text), "the profile");
    const profile = toProfile(read, name);
    return {
      profile,
      filters: readFilters(read.filters),
      collected: readCollected(read.collected),
    };
  });
}

/**
 * Returns the result of `parse`, which reads a part of the profile `name`. Throws `InputError` if
 * the profile is not valid.
 */
export function checkProfile<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof InvalidProfile)) throw error;
    throw new InputError(
      `cannot read ${name} as a traffic profile: ${error.message}; write it again with \`--profile\``,
      { source: name },
      { cause: error },
    );
  }
}

function readFilters(value: unknown): FilterRecord[] {
  if (value === undefined) return [];
  return checkList(value, "`filters`").map((entry) => {
    const { option, value, dropped, kept } = checkRecord(entry, "a filter");
    return {
      option: checkText(option, "the option of a filter"),
      value: checkText(value, "the value of a filter"),
      dropped: checkInteger(dropped, "the number of requests that a filter dropped"),
      ...(kept !== undefined && { kept: checkText(kept, "the description of a filter") }),
    };
  });
}

function readCollected(value: unknown): Map<string, CollectedRecord> {
  if (value === undefined) return new Map();
  return new Map(
    Object.entries(checkRecord(value, "`collected`")).map(([kind, entry]) => {
      const { settings, data } = checkRecord(entry, `\`collected.${kind}\``);
      return [kind, { settings, data }];
    }),
  );
}

const OTHERS = "`otherMalformed`";

function toProfile(read: Record<string, unknown>, name: string): TrafficProfile {
  if (read.schema !== PROFILE_SCHEMA) {
    throw new InvalidProfile(
      `\`schema\` is ${JSON.stringify(read.schema)}, expected ${JSON.stringify(PROFILE_SCHEMA)}`,
    );
  }
  const profile = new TrafficProfile();
  profile.beginSource(name);
  profile.endSource(checkInteger(read.bytes, "`bytes`"), checkInteger(read.lines, "`lines`"));
  profile.requests = checkInteger(read.requests, "`requests`", MAX_REQUESTS);
  profile.withQuery = checkInteger(read.withQuery, "`withQuery`", profile.requests);
  profile.withId = checkInteger(read.withId, "`withId`", profile.requests);
  profile.withoutZone = read.withoutZone === true;
  const malformed = checkRecord(read.malformed, "`malformed`");
  for (const reason of MALFORMED_REASONS) {
    profile.malformedByReason[reason] = checkInteger(
      malformed[reason],
      `\`malformed.${reason}\``,
      profile.lines,
    );
  }
  const others = read.otherMalformed === undefined ? [] : checkList(read.otherMalformed, OTHERS);
  const lines = profile.malformed > 0 ? [read.firstMalformed, ...others] : [];
  for (const [i, line] of lines.entries()) {
    const found = malformedLine(line, i === 0 ? "firstMalformed" : `otherMalformed[${i - 1}]`);
    profile.firstByReason[found.reason] = found;
  }
  readSeconds(profile, read.seconds);
  readEndpoints(profile, checkList(read.endpoints, "`endpoints`"));
  return profile;
}

function malformedLine(value: unknown, path: string): MalformedLine {
  const read = checkRecord(value, `\`${path}\``);
  const reason = MALFORMED_REASONS.find((known) => known === read.reason);
  if (reason === undefined) {
    throw new InvalidProfile(`\`${path}.reason\` is not a known reason`);
  }
  return {
    reason,
    offset: checkInteger(read.offset, `\`${path}.offset\``),
    line: checkInteger(read.line, `\`${path}.line\``),
    text: checkText(read.text, `\`${path}.text\``),
    ...(FORMAT_NAMES.some((name) => name === read.format) && { format: read.format as string }),
  };
}

function readSeconds({ seconds, requests }: TrafficProfile, runs: unknown): void {
  if (parseSeconds(seconds, runs, requests) === requests) return;
  throw new InvalidProfile("the counts in `seconds` do not add up to `requests`");
}

function readEndpoints(profile: TrafficProfile, endpoints: readonly unknown[]): void {
  const encoder = new TextEncoder();
  let requests = 0;
  for (const endpoint of endpoints) {
    const [key, count, first] = checkList(endpoint, "an endpoint");
    const text = checkText(key, "an endpoint's key");
    if (!isKey(text)) throw new InvalidProfile(`${JSON.stringify(text)} is not a valid endpoint`);
    requests += checkInteger(count, "the number of requests to an endpoint", profile.requests);
    const bytes = encoder.encode(text);
    const position = checkInteger(first, "the byte offset of an endpoint's first request");
    profile.table.add(bytes, 0, bytes.length, count as number, position);
  }
  if (requests !== profile.requests) {
    throw new InvalidProfile("the counts in `endpoints` do not add up to `requests`");
  }
}

/**
 * Reports whether a string is a valid endpoint key: a method and a route that interpolates nothing
 * but the id placeholder.
 */
function isKey(text: string): boolean {
  if (
    !/^(?!(?:CONNECT|PRI) )[A-Z][A-Z0-9_-]{0,31} (?:\*|\/[^?]*)$/.test(text) || !text.isWellFormed()
  ) {
    return false;
  }
  return text.split("/").every((part) =>
    part === ID_PLACEHOLDER || literalText(part) !== undefined
  );
}
