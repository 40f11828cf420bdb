import { random } from "../../src/base/random.ts";

/** A kind of visit: its paths, how often it is made, and its mean pauses in seconds. */
export interface Kind {
  readonly paths: readonly string[];
  readonly share: number;
  readonly pause: number;
}

/** A log of visits of known kinds. */
export interface MadeVisits {
  readonly log: string;
  /** Of each visit of several requests: its kind, and what it asked for. */
  readonly visits: readonly { readonly kind: number; readonly paths: readonly string[] }[];
}

/** Writes a log of `count` visits in which each step is, with the chance `noise`, lost, changed or doubled up. Visits begin within so many seconds. */
export function makeVisits(
  kinds: readonly Kind[],
  count: number,
  noise: number,
  seed: number,
  seconds = 80_000,
): MadeVisits {
  const { next, int } = random(seed);
  const others = Array.from({ length: 30 }, (_, i) => `/other/page-${i}.html`);
  const lines: { at: number; text: string }[] = [];
  const visits: { kind: number; paths: string[] }[] = [];
  for (let visit = 0; visit < count; visit++) {
    const kind = pick(kinds, next());
    const paths: string[] = [];
    for (const path of kinds[kind].paths) {
      const fate = next() < noise ? int(0, 2) : 3;
      if (fate === 1) paths.push(others[int(0, 29)]);
      else if (fate !== 0) paths.push(path);
      if (fate === 2) paths.push(others[int(0, 29)]);
    }
    let at = int(0, seconds);
    for (const path of paths) {
      const time = new Date(Date.UTC(2026, 10, 21) + at * 1_000).toISOString();
      // Everybody comes from one of 50 addresses, and tells apart by the user agent.
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

function pick(kinds: readonly Kind[], at: number): number {
  let rest = at;
  return kinds.findIndex(({ share }) => (rest -= share) < 0);
}

/** The adjusted Rand index of two ways to group the same things: 1 when they agree, 0 by chance. */
export function adjustedRandIndex(a: readonly unknown[], b: readonly unknown[]): number {
  const pairs = (keys: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + n * (n - 1) / 2, 0);
  };
  const both = pairs(a.map((one, i) => `${one} ${b[i]}`));
  const [ofA, ofB] = [pairs(a.map(String)), pairs(b.map(String))];
  const expected = ofA * ofB / (a.length * (a.length - 1) / 2);
  return (both - expected) / ((ofA + ofB) / 2 - expected);
}
