import { random } from "../../src/base/random.ts";

/** A kind of visit: its paths, its probability, and its mean pause in seconds. */
export interface VisitKind {
  readonly paths: readonly string[];
  readonly probability: number;
  readonly pause: number;
}

/** A generated log, and the kinds of the visits in the log. */
export interface GeneratedVisits {
  readonly log: string;
  /** Kind and requested paths of each visit that has more than one request. */
  readonly visits: readonly { readonly kind: number; readonly paths: readonly string[] }[];
}

/**
 * Generates a log of `count` visits that start within `seconds` seconds. Changes each step with
 * probability `noise`: drops it, replaces it, or adds another page after it.
 */
export function generateVisits(
  kinds: readonly VisitKind[],
  count: number,
  noise: number,
  seed: number,
  seconds = 80_000,
): GeneratedVisits {
  const { next, int } = random(seed);
  const others = Array.from({ length: 30 }, (_, i) => `/other/page-${i}.html`);
  const lines: { at: number; text: string }[] = [];
  const visits: { kind: number; paths: string[] }[] = [];
  for (let visit = 0; visit < count; visit++) {
    const kind = pick(kinds, next());
    const paths: string[] = [];
    for (const path of kinds[kind].paths) {
      const change = next() < noise ? int(0, 2) : 3;
      if (change === 1) paths.push(others[int(0, 29)]);
      else if (change !== 0) paths.push(path);
      if (change === 2) paths.push(others[int(0, 29)]);
    }
    let at = int(0, seconds);
    for (const path of paths) {
      const time = new Date(Date.UTC(2026, 10, 21) + at * 1_000).toISOString();
      // All visitors share 50 addresses and are distinguished by their user agent.
      const text = `10.0.0.${visit % 50} - - [21/Nov/2026:${time.slice(11, 19)} +0000] ` +
        `"GET ${path} HTTP/1.1" 200 1 "-" "Browser/${Math.floor(visit / 50)}"`;
      lines.push({ at, text });
      at += Math.round(kinds[kind].pause * (0.5 + next()));
    }
    if (paths.length > 1) visits.push({ kind, paths });
  }
  lines.sort((a, b) => a.at - b.at);
  return { log: lines.map(({ text }) => `${text}\n`).join(""), visits };
}

function pick(kinds: readonly VisitKind[], at: number): number {
  let rest = at;
  return kinds.findIndex(({ probability }) => (rest -= probability) < 0);
}

/**
 * Returns the adjusted Rand index of two groupings: 1 for equal groupings, 0 on average for random
 * ones.
 */
export function adjustedRandIndex(a: readonly unknown[], b: readonly unknown[]): number {
  const pairs = (keys: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + n * (n - 1) / 2, 0);
  };
  const joint = pairs(a.map((one, i) => `${one} ${b[i]}`));
  const [pairsOfA, pairsOfB] = [pairs(a.map(String)), pairs(b.map(String))];
  const expected = pairsOfA * pairsOfB / (a.length * (a.length - 1) / 2);
  return (joint - expected) / ((pairsOfA + pairsOfB) / 2 - expected);
}
