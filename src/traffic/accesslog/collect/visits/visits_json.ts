import {
  checkInteger,
  checkList,
  checkRecord,
  checkText,
  InvalidProfile,
} from "../../profile/profile_checks.ts";
import { LEVELS } from "../../profile/sample_level.ts";
import { PAUSE_BUCKETS } from "./pause_counts.ts";
import { IDLE_MS, MAX_STEPS, type Visit, type Visitor } from "./visit.ts";
import type { Clients } from "./visit_recorder.ts";
import { bucketCounts, LIMB, type VisitGroup } from "./visit_table.ts";
import { MAX_VISITOR } from "./visitor.ts";

/** Contents of a `Visits` collector. */
export interface VisitsData {
  /** Lowest sampling level whose visitors are counted; 0 if all visitors are counted. */
  readonly level: number;
  readonly clients: Clients;
  /** Number of completed visits, by sampling level. */
  readonly visits: readonly number[];
  /** Number of completed visits with more than `MAX_STEPS` steps, by sampling level. */
  readonly tooLong: readonly number[];
  /**
   * Number of requests that are more than 30 minutes earlier than the visitor's preceding request
   * in the log, by sampling level.
   */
  readonly unsorted: readonly number[];
  readonly endpoints: { at(number: number): Uint8Array };
  /** For each endpoint, the highest sampling level of its visitors. */
  readonly endpointLevels: readonly number[];
  readonly visitors: ReadonlyMap<number, Visitor>;
  readonly groups: readonly VisitGroup[];
}

/**
 * Converts visits to JSON. Endpoints are sorted, and each step is the index of an endpoint. A visit
 * is `[first, last, steps, pauses]`: two timestamps in Unix milliseconds, the steps in the order of
 * the log, and the pause before each step except the first, in milliseconds. A pause can be
 * negative if the log is not sorted by time. The members are as follows:
 *
 * - `level`: lowest sampling level that is counted
 * - `client`: address of the first client, one character per byte; `areSeveral`: whether there are
 *   others; `missing`: number of requests without a client address
 * - `visits`, `tooLong`: number of completed visits, and of those with too many steps,
 *   by level
 * - `unsorted`: number of requests that are more than 30 minutes earlier than the visitor's preceding
 *   request in the log, by level; absent if there are none
 * - `endpoints`: list of `["METHOD route", level]`
 * - `visitors`: list of `[visitor, last visit]` or `[visitor, first visit, last visit]`; `visitor` is
 *   a hash of the client address and the user agent
 * - `sequences`: list of `[level, steps, visits, pauses]` of completed visits. Each pause
 *   is `[sum, high, low, [bucket, visits, …]]`. The sum of its squares is `high` · 2^52 + `low`.
 */
export function listVisits(data: VisitsData): unknown {
  const { level, clients: { first, areSeveral, missing }, endpointLevels } = data;
  const decoder = new TextDecoder();
  const endpoints = endpointLevels.map((level, i) =>
    [decoder.decode(data.endpoints.at(i).slice()), level, i] as const
  ).sort(([a], [b]) => a < b ? -1 : 1);
  const ranks = new Uint32Array(endpoints.length);
  for (const [rank, [, , number]] of endpoints.entries()) ranks[number] = rank;
  const stepsOf = (steps: ArrayLike<number>) => Array.from(steps, (step) => ranks[step]);
  const visitOf = ({ first, last, steps, pauses }: Visit) => [first, last, stepsOf(steps), pauses];
  const visitors = [...data.visitors].sort(([a], [b]) => a - b).map(([hash, { head, tail }]) =>
    head === undefined ? [hash, visitOf(tail)] : [hash, visitOf(head), visitOf(tail)]
  );
  const sequences = data.groups.map((group) => ({ group, steps: stepsOf(group.steps) }))
    .sort((a, b) => a.group.level - b.group.level || compareSteps(a.steps, b.steps))
    .map(({ group, steps }) => [group.level, steps, group.count, listPauses(group)]);
  return {
    level,
    client: first === undefined ? null : Array.from(first, (b) => String.fromCharCode(b)).join(""),
    areSeveral,
    missing,
    visits: data.visits.map((count, i) => i < level ? 0 : count),
    tooLong: data.tooLong.map((count, i) => i < level ? 0 : count),
    ...(data.unsorted.some((count, i) => i >= level && count > 0) && {
      unsorted: data.unsorted.map((count, i) => i < level ? 0 : count),
    }),
    endpoints: endpoints.map(([key, level]) => [key, level]),
    visitors,
    sequences,
  };
}

function listPauses(group: VisitGroup): unknown[] {
  const countOf = bucketCounts(group);
  return Array.from(group.sums, (sum, i) => {
    const buckets: number[] = [];
    for (let bucket = 0; bucket < PAUSE_BUCKETS; bucket++) {
      const count = countOf(i, bucket);
      if (count > 0) buckets.push(bucket, count);
    }
    return [sum, group.squares[2 * i], group.squares[2 * i + 1], buckets];
  });
}

function compareSteps(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** Parses the result of `listVisits`. Throws `InvalidProfile` if it is not valid. */
export function parseVisits(json: unknown): VisitsData {
  const read = checkRecord(json, "`visits`");
  const level = checkInteger(read.level, "`visits.level`", LEVELS - 1);
  const byLevel = (name: string) => {
    const counts = checkList(read[name], `\`visits.${name}\``);
    checkInteger(counts.length, `the length of \`visits.${name}\``, LEVELS);
    return Array.from({ length: LEVELS }, (_, i) => checkInteger(counts[i] ?? 0, "a count"));
  };
  const encoder = new TextEncoder();
  const endpoints = checkList(read.endpoints, "`visits.endpoints`").map((entry) => {
    const [key, level] = checkList(entry, "an endpoint of `visits`");
    return {
      key: encoder.encode(checkText(key, "an endpoint of `visits`")),
      level: checkInteger(level, "the sampling level of an endpoint", LEVELS - 1),
    };
  });
  const stepsOf = (steps: unknown, most: number) => {
    const list = checkList(steps, "`steps` in a visit");
    if (list.length === 0 || list.length > most) {
      throw new InvalidProfile(`a visit has ${list.length} steps, expected 1 to ${most}`);
    }
    return list.map((step) => checkInteger(step, "a step of a visit", endpoints.length - 1));
  };
  return {
    level,
    clients: {
      first: read.client === null
        ? undefined
        : Uint8Array.from(checkText(read.client, "`visits.client`"), (c) => c.charCodeAt(0)),
      areSeveral: read.areSeveral === true,
      missing: checkInteger(read.missing, "`visits.missing`"),
    },
    visits: byLevel("visits"),
    tooLong: byLevel("tooLong"),
    unsorted: read.unsorted === undefined ? new Array(LEVELS).fill(0) : byLevel("unsorted"),
    endpoints: { at: (number) => endpoints[number].key },
    endpointLevels: endpoints.map(({ level }) => level),
    visitors: new Map(
      checkList(read.visitors, "`visits.visitors`").map((entry) => parseVisitor(entry, stepsOf)),
    ),
    groups: checkList(read.sequences, "`visits.sequences`").map((entry) =>
      parseGroup(entry, stepsOf)
    ),
  };
}

type ParseSteps = (steps: unknown, most: number) => number[];

function parseVisitor(json: unknown, stepsOf: ParseSteps): [hash: number, visitor: Visitor] {
  const [hash, ...visits] = checkList(json, "a visitor");
  if (visits.length < 1 || visits.length > 2) {
    throw new InvalidProfile(`a visitor has ${visits.length} visits, expected 1 or 2`);
  }
  const parsed = visits.map((visit): Visit => {
    const [first, last, steps, pauses] = checkList(visit, "a visit");
    const found = {
      first: checkInteger(first, "the start of a visit"),
      last: checkInteger(last, "the end of a visit"),
      steps: stepsOf(steps, MAX_STEPS + 1),
      pauses: checkList(pauses, "`pauses` in a visit").map((pause) =>
        checkInteger(
          typeof pause === "number" ? pause + IDLE_MS : pause,
          "a pause in a visit, in ms and increased by 30 minutes,",
          2 ** 26,
        ) - IDLE_MS
      ),
    };
    if (found.pauses.length === found.steps.length - 1) return found;
    throw new InvalidProfile(
      "the number of pauses in a visit is not one less than its number of steps",
    );
  });
  const head = parsed.length > 1 ? parsed[0] : undefined;
  return [checkInteger(hash, "a visitor", MAX_VISITOR), { head, tail: parsed.at(-1)! }];
}

function parseGroup(json: unknown, stepsOf: ParseSteps): VisitGroup {
  const [level, steps, visits, pauses] = checkList(json, "a sequence of visits");
  const read = stepsOf(steps, MAX_STEPS);
  const count = checkInteger(visits, "the number of visits of a sequence", 2 ** 32 - 1);
  const list = checkList(pauses, "`pauses` in a sequence");
  if (list.length !== read.length - 1) {
    throw new InvalidProfile(
      "the number of pauses in a sequence is not one less than its number of steps",
    );
  }
  const sums = new Float64Array(list.length);
  const squares = new Float64Array(2 * list.length);
  const histograms = new Uint32Array(list.length * PAUSE_BUCKETS);
  for (const [i, pause] of list.entries()) {
    const [sum, high, low, buckets] = checkList(pause, "a pause");
    sums[i] = checkInteger(sum, "the sum of a pause's durations");
    squares[2 * i] = checkInteger(high, "the sum of a pause's squared durations");
    squares[2 * i + 1] = checkInteger(low, "the sum of a pause's squared durations", LIMB - 1);
    const counts = checkList(buckets, "the histogram of a pause's durations");
    let visits = 0;
    for (let k = 0; k < counts.length; k += 2) {
      const bucket = checkInteger(counts[k], "a bucket of a histogram", PAUSE_BUCKETS - 1);
      const inBucket = checkInteger(counts[k + 1], "the number of visits in a bucket", count);
      histograms[i * PAUSE_BUCKETS + bucket] += inBucket;
      visits += inBucket;
    }
    if (visits !== count) {
      throw new InvalidProfile(
        "the counts in a pause's histogram do not add up to the number of visits",
      );
    }
  }
  return {
    level: checkInteger(level, "the sampling level of a sequence", LEVELS - 1),
    steps: Uint32Array.from(read),
    count,
    sums,
    squares,
    histograms,
  };
}
