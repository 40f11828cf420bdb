import * as z from "zod";
import { InputError } from "../../../base/errors.ts";
import { literalText } from "../../../plan/text/template.ts";
import { FORMAT_NAMES } from "../formats/formats.ts";
import { MALFORMED_REASONS } from "../read/log_format.ts";
import { ID_PLACEHOLDER } from "../read/log_request.ts";
import type { SecondCounts } from "./second_counts.ts";
import { MAX_REQUESTS, TrafficProfile } from "./traffic_profile.ts";

/** A filter option, as stored in a traffic profile. */
export interface FilterRecord {
  readonly option: string;
  readonly value: string;
  readonly dropped: number;
  /** The requests kept, if `option` and `value` do not state them. */
  readonly kept?: string;
}

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

/** Type and version of the file. */
const PROFILE_SCHEMA = "rehearse-profile/2";

/**
 * Serializes a profile as JSON. Equal profiles produce identical bytes: the text has no path and no
 * time. `seconds` are ranges `[start, [requests, …]]` in Unix seconds; `endpoints` are `["METHOD
 * route", requests, first]` with the log offset of the first one and a route as plan text
 * (`${vars.id}` for an id, `$${` for a recorded `${`).
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

const COUNT = z.int().min(0);
const LINE = z.object({
  reason: z.enum(MALFORMED_REASONS),
  offset: COUNT,
  line: COUNT,
  text: z.string(),
  format: z.enum(FORMAT_NAMES).optional().catch(undefined),
});

const PROFILE = z.object({
  schema: z.literal(PROFILE_SCHEMA),
  bytes: COUNT,
  lines: COUNT,
  requests: COUNT.max(MAX_REQUESTS),
  withQuery: COUNT,
  withId: COUNT,
  withoutZone: z.literal(true).optional(),
  malformed: z.record(z.enum(MALFORMED_REASONS), COUNT),
  firstMalformed: LINE.optional(),
  otherMalformed: z.array(LINE).default([]),
  filters: z.array(z.object({
    option: z.string(),
    value: z.string(),
    dropped: COUNT,
    kept: z.string().optional(),
  })).default([]),
  seconds: z.array(z.tuple([COUNT, z.array(COUNT)])),
  endpoints: z.array(z.tuple([z.string().refine(isKey, "not a valid endpoint"), COUNT, COUNT])),
  collected: z.record(
    z.string(),
    z.object({ settings: z.unknown().optional(), data: z.unknown() }),
  ).default({}),
});

/** The text is not trusted. `name` is the file in messages. Throws `InputError`. */
export function parseProfile(text: string, name: string): ProfileContent {
  return checkProfile(name, () => {
    const read = checked(PROFILE, JSON.parse(text), "the profile");
    const { filters, collected } = read;
    return {
      profile: toProfile(read, name),
      filters,
      collected: new Map(Object.entries(collected)),
    };
  });
}

/** Throws `InputError` if `parse`, which reads a part of the profile `name`, finds it invalid. */
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

function toProfile(read: z.infer<typeof PROFILE>, name: string): TrafficProfile {
  const { bytes, lines, requests, withQuery, withId, withoutZone = false } = read;
  const profile = new TrafficProfile();
  profile.beginSource(name);
  profile.endSource(bytes, lines);
  Object.assign(profile, { requests, withQuery, withId, withoutZone });
  Object.assign(profile.malformedByReason, read.malformed);
  for (const line of [read.firstMalformed, ...read.otherMalformed]) {
    if (line !== undefined) profile.firstByReason[line.reason] = line;
  }
  if (profile.malformed > 0 && read.firstMalformed === undefined) {
    throw new InvalidProfile("`firstMalformed` is missing");
  }
  if (addSeconds(profile.seconds, read.seconds) !== requests) {
    throw new InvalidProfile("the counts in `seconds` do not add up to `requests`");
  }
  const encoder = new TextEncoder();
  for (const [key, count, first] of read.endpoints) {
    const bytes = encoder.encode(key);
    profile.table.add(bytes, 0, bytes.length, count, first);
  }
  if (read.endpoints.reduce((sum, [, count]) => sum + count, 0) !== requests) {
    throw new InvalidProfile("the counts in `endpoints` do not add up to `requests`");
  }
  return profile;
}

/** A method and a route that interpolates nothing but the id placeholder. */
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

/** States why a profile is invalid. */
export class InvalidProfile extends Error {}

/** Throws `InvalidProfile` if `schema` refuses the value; `what` describes it. */
export function checked<T>(schema: { parse(value: unknown): T }, value: unknown, what: string): T {
  try {
    return schema.parse(value);
  } catch (error) {
    const [{ path, message }] = (error as z.ZodError).issues;
    const at = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("");
    throw new InvalidProfile(`${what}${at && ` at \`${at.replace(/^\./, "")}\``}: ${message}`);
  }
}

const LAST_SECOND = Date.UTC(10_000, 0, 2) / 1_000;

export type Seconds = readonly (readonly [start: number, counts: readonly number[]])[];

/** Returns the number of requests added. */
export function addSeconds(seconds: SecondCounts, ranges: Seconds): number {
  let requests = 0;
  for (const [start, counts] of ranges) {
    if (start + counts.length > LAST_SECOND + 1) {
      throw new InvalidProfile("a range in `seconds` ends after the year 9999");
    }
    counts.forEach((count, i) => seconds.add(start + i, count));
    requests += counts.reduce((sum, count) => sum + count, 0);
  }
  return requests;
}
