import { InputError } from "../../../base/errors.ts";
import { FORMAT_NAMES } from "../formats/formats.ts";
import { literalText } from "../../../plan/text/template.ts";
import { ID_PLACEHOLDER } from "../read/endpoint/id_segment.ts";
import {
  checkInteger,
  checkList,
  checkRecord,
  checkText,
  InvalidProfile,
} from "./profile_checks.ts";
import { MALFORMED_REASONS, type MalformedLine } from "../read/log_request.ts";
import { parseSeconds } from "./parse_seconds.ts";
import type { CollectedRecord, FilterRecord, ProfileContent } from "./profile_content.ts";
import { PROFILE_SCHEMA } from "./serialize_profile.ts";
import { MAX_REQUESTS } from "./tally.ts";
import { TrafficProfile } from "./traffic_profile.ts";

/**
 * Parses a profile from text that `serializeProfile` wrote. `name` is the file name to use in
 * messages.
 *
 * The text is not trusted. Throws `InputError` if it is not valid JSON, has an unsupported
 * version, contains counts that do not add up, or contains a route that interpolates anything but
 * the id placeholder.
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

/** Value of `schema` in profiles that older versions wrote. These profiles contain only counts. */
const COUNTS_ONLY = "rehearse-profile/1";
const OTHERS = "`otherMalformed`";

function toProfile(read: Record<string, unknown>, name: string): TrafficProfile {
  if (read.schema !== PROFILE_SCHEMA && read.schema !== COUNTS_ONLY) {
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
  for (const [i, line] of lines.entries()) {
    const found = malformedLine(line, i === 0 ? "firstMalformed" : `otherMalformed[${i - 1}]`);
    tally.firstMalformed[found.reason] = found;
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
    requests += checkInteger(count, "the number of requests to an endpoint", tally.requests);
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
  return text.split("/").every((part) =>
    part === ID_PLACEHOLDER || literalText(part) !== undefined
  );
}
