import { InputError } from "../../../base/errors.ts";
import { ID_PLACEHOLDER } from "../read/endpoint/id_segment.ts";
import { MALFORMED_REASONS, type MalformedLine } from "../read/malformed.ts";
import { PROFILE_SCHEMA } from "./serialize_profile.ts";
import { MAX_REQUESTS } from "./tally.ts";
import { TrafficProfile } from "./traffic_profile.ts";

const LAST_SECOND = Date.UTC(10_000, 0, 2) / 1_000;

/**
 * Parses a profile from text that `serializeProfile` wrote. `name` is the file name to use in
 * messages.
 *
 * The text is not trusted. Throws `InputError` if it is not valid JSON, has another version,
 * contains counts that do not add up, or contains a route that interpolates anything but the id
 * placeholder.
 */
export function parseProfile(text: string, name: string): TrafficProfile {
  try {
    return toProfile(JSON.parse(text), name);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof InvalidProfile)) throw error;
    throw new InputError(
      `could not read ${name} as a traffic profile: ${error.message}; write it again with \`--profile\``,
      { source: name },
      { cause: error },
    );
  }
}

const OTHERS = "`otherMalformed`";

/** Error whose message states why a profile is invalid. */
class InvalidProfile extends Error {}

function toProfile(value: unknown, name: string): TrafficProfile {
  const read = record(value, "the profile");
  if (read.schema !== PROFILE_SCHEMA) {
    throw new InvalidProfile(
      `\`schema\` is ${JSON.stringify(read.schema)}, expected ${JSON.stringify(PROFILE_SCHEMA)}`,
    );
  }
  const profile = new TrafficProfile();
  profile.beginSource(name);
  profile.endSource(integer(read.bytes, "`bytes`"), integer(read.lines, "`lines`"));
  const { tally } = profile;
  tally.requests = integer(read.requests, "`requests`", MAX_REQUESTS);
  tally.withQuery = integer(read.withQuery, "`withQuery`", tally.requests);
  tally.withId = integer(read.withId, "`withId`", tally.requests);
  tally.withoutZone = read.withoutZone === true;
  const malformed = record(read.malformed, "`malformed`");
  for (const reason of MALFORMED_REASONS) {
    tally.malformed[reason] = integer(malformed[reason], `\`malformed.${reason}\``, profile.lines);
  }
  const others = read.otherMalformed === undefined ? [] : array(read.otherMalformed, OTHERS);
  const lines = profile.malformed > 0 ? [read.firstMalformed, ...others] : [];
  for (const line of lines) {
    const found = malformedLine(line);
    tally.firstMalformed[found.reason] = found;
  }
  readAlike(profile, read.alike);
  readSeconds(profile, array(read.seconds, "`seconds`"));
  readEndpoints(profile, array(read.endpoints, "`endpoints`"));
  return profile;
}

function malformedLine(value: unknown): MalformedLine {
  const read = record(value, "`firstMalformed`");
  const reason = MALFORMED_REASONS.find((known) => known === read.reason);
  if (reason === undefined) {
    throw new InvalidProfile("`firstMalformed.reason` is not a known reason");
  }
  return {
    reason,
    offset: integer(read.offset, "`firstMalformed.offset`"),
    line: integer(read.line, "`firstMalformed.line`"),
    text: string(read.text, "`firstMalformed.text`"),
  };
}

function readAlike(profile: TrafficProfile, value: unknown): void {
  if (value === undefined) return;
  for (const [name, lines] of Object.entries(record(value, "`alike`"))) {
    if (!/^[\w-]{1,40}$/.test(name)) throw new InvalidProfile("`alike` has an invalid name");
    profile.tally.countAlike(name, integer(lines, "a count in `alike`", profile.malformed));
  }
}

function readSeconds({ tally }: TrafficProfile, runs: readonly unknown[]): void {
  let requests = 0;
  for (const run of runs) {
    const [start, counts] = array(run, "a range in `seconds`");
    let second = integer(start, "the start of a range in `seconds`", LAST_SECOND);
    for (const count of array(counts, "the second element of a range in `seconds`")) {
      requests += integer(count, "the request count of a second", tally.requests);
      if (second > LAST_SECOND) {
        throw new InvalidProfile("a range in `seconds` ends after the year 9999");
      }
      tally.seconds.add(second++, count as number);
    }
  }
  if (requests !== tally.requests) {
    throw new InvalidProfile("the counts in `seconds` do not add up to `requests`");
  }
}

function readEndpoints({ tally }: TrafficProfile, endpoints: readonly unknown[]): void {
  const encoder = new TextEncoder();
  let requests = 0;
  for (const endpoint of endpoints) {
    const [key, count, first] = array(endpoint, "an endpoint");
    const text = string(key, "an endpoint's key");
    if (!isKey(text)) throw new InvalidProfile(`${JSON.stringify(text)} is not a valid endpoint`);
    requests += integer(count, "the request count of an endpoint", tally.requests);
    const bytes = encoder.encode(text);
    const { length } = bytes;
    const view = new DataView(bytes.buffer.transfer(length + 4));
    const position = integer(first, "the byte offset of an endpoint's first request");
    tally.endpoints.add(view, 0, length, count as number, 0, position);
  }
  if (requests !== tally.requests) {
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
  return !/(?<!\$)\$\{/.test(text.split("/").filter((part) => part !== ID_PLACEHOLDER).join("/"));
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new InvalidProfile(`${what} is not an object`);
}

function array(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidProfile(`${what} is not a list`);
}

function string(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new InvalidProfile(`${what} is not text`);
}

function integer(value: unknown, what: string, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) {
    return value as number;
  }
  throw new InvalidProfile(`${what} is not a whole number from 0 to ${max}`);
}
