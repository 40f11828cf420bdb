import { InputError } from "../../../base/errors.ts";
import { ID_PLACEHOLDER } from "../read/endpoint/id_segment.ts";
import { checkInteger, checkList, checkRecord, checkText, InvalidProfile } from "./json_checks.ts";
import { MALFORMED_REASONS, type MalformedLine } from "../read/malformed.ts";
import { parseSeconds } from "./parse_seconds.ts";
import { PROFILE_SCHEMA } from "./serialize_profile.ts";
import { MAX_REQUESTS } from "./tally.ts";
import { TrafficProfile } from "./traffic_profile.ts";

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

function toProfile(value: unknown, name: string): TrafficProfile {
  const read = checkRecord(value, "the profile");
  if (read.schema !== PROFILE_SCHEMA) {
    throw new InvalidProfile(
      `\`schema\` is ${JSON.stringify(read.schema)}, expected ${JSON.stringify(PROFILE_SCHEMA)}`,
    );
  }
  const profile = new TrafficProfile();
  profile.beginSource(name);
  profile.endSource(checkInteger(read.bytes, "`bytes`"), checkInteger(read.lines, "`lines`"));
  const { tally } = profile;
  tally.requests = checkInteger(read.requests, "`requests`", MAX_REQUESTS);
  tally.withQuery = checkInteger(read.withQuery, "`withQuery`", tally.requests);
  tally.withId = checkInteger(read.withId, "`withId`", tally.requests);
  tally.withoutZone = read.withoutZone === true;
  const malformed = checkRecord(read.malformed, "`malformed`");
  for (const reason of MALFORMED_REASONS) {
    tally.malformed[reason] = checkInteger(
      malformed[reason],
      `\`malformed.${reason}\``,
      profile.lines,
    );
  }
  const others = read.otherMalformed === undefined ? [] : checkList(read.otherMalformed, OTHERS);
  const lines = profile.malformed > 0 ? [read.firstMalformed, ...others] : [];
  for (const line of lines) {
    const found = malformedLine(line);
    tally.firstMalformed[found.reason] = found;
  }
  readAlike(profile, read.alike);
  readSeconds(profile, read.seconds);
  readEndpoints(profile, checkList(read.endpoints, "`endpoints`"));
  return profile;
}

function malformedLine(value: unknown): MalformedLine {
  const read = checkRecord(value, "`firstMalformed`");
  const reason = MALFORMED_REASONS.find((known) => known === read.reason);
  if (reason === undefined) {
    throw new InvalidProfile("`firstMalformed.reason` is not a known reason");
  }
  return {
    reason,
    offset: checkInteger(read.offset, "`firstMalformed.offset`"),
    line: checkInteger(read.line, "`firstMalformed.line`"),
    text: checkText(read.text, "`firstMalformed.text`"),
  };
}

function readAlike(profile: TrafficProfile, value: unknown): void {
  if (value === undefined) return;
  for (const [name, lines] of Object.entries(checkRecord(value, "`alike`"))) {
    if (!/^[\w-]{1,40}$/.test(name)) throw new InvalidProfile("`alike` has an invalid name");
    profile.tally.countAlike(name, checkInteger(lines, "a count in `alike`", profile.malformed));
  }
}

function readSeconds({ tally }: TrafficProfile, runs: unknown): void {
  if (parseSeconds(tally.seconds, runs, tally.requests) === tally.requests) return;
  throw new InvalidProfile("the counts in `seconds` do not add up to `requests`");
}

function readEndpoints({ tally }: TrafficProfile, endpoints: readonly unknown[]): void {
  const encoder = new TextEncoder();
  let requests = 0;
  for (const endpoint of endpoints) {
    const [key, count, first] = checkList(endpoint, "an endpoint");
    const text = checkText(key, "an endpoint's key");
    if (!isKey(text)) throw new InvalidProfile(`${JSON.stringify(text)} is not a valid endpoint`);
    requests += checkInteger(count, "the request count of an endpoint", tally.requests);
    const bytes = encoder.encode(text);
    const { length } = bytes;
    const view = new DataView(bytes.buffer.transfer(length + 4));
    const position = checkInteger(first, "the byte offset of an endpoint's first request");
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
