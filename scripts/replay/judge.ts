/**
 * Compares an access log with the log of a target that received a replay of it. Shares no code with
 * `src`. Both logs are in the combined format; in the second, the client field identifies a visit.
 */
interface Line {
  readonly second: number;
  readonly visitor: string;
  readonly method: string;
  readonly url: string;
}

const LINE = /^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+)[^"]*" \d+ \S+(?: "[^"]*" "(.*)")?/;
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const IDLE_SECONDS = 1_800;
const ID = /^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|(?=.*\d)[0-9a-f]{16,})$/i;

function parse(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    const [, client, time, method, target, agent = ""] = LINE.exec(line) ?? [];
    if (client === undefined) return [];
    const [, day, month, year, hour, minute, second] = /(\d+)\/(\w+)\/(\d+):(\d+):(\d+):(\d+)/.exec(
      time,
    )!;
    const at = Date.UTC(+year, MONTHS.indexOf(month) / 3, +day, +hour, +minute, +second) / 1_000;
    // Parts of a URL after `#` are not sent, and a path without a slash gets one.
    const url = target.replace(/#.*$/, "");
    return [{ second: at, visitor: `${client} ${agent}`, method, url }];
  });
}

function endpoint({ method, url }: Line): string {
  const path = url.split("?")[0].split("/").map((part) => ID.test(part) ? ":id" : part);
  return `${method} ${path.join("/")}`;
}

function visitsOf(lines: readonly Line[], idle: number): Line[][] {
  const open = new Map<string, Line[]>();
  const visits: Line[][] = [];
  for (
    const line of lines.map((line, i) => ({ line, i })).sort((a, b) =>
      a.line.second - b.line.second || a.i - b.i
    ).map(({ line }) => line)
  ) {
    let visit = open.get(line.visitor);
    if (visit === undefined || line.second - visit.at(-1)!.second > idle) {
      open.set(line.visitor, visit = []);
      visits.push(visit);
    }
    visit.push(line);
  }
  return visits;
}

function pairs(visits: readonly Line[][]): string[] {
  return visits.flatMap((visit) =>
    visit.slice(1).map((line, i) => `${endpoint(visit[i])} ${endpoint(line)}`)
  );
}

/** Returns the fraction of the requests whose id occurs in an earlier request of the visit. */
function sameObject(visits: readonly Line[][]): number {
  let [same, all] = [0, 0];
  for (const visit of visits) {
    const seen = new Set<string>();
    for (const { url } of visit) {
      const ids = url.split("?")[0].split("/").filter((part) => ID.test(part));
      all++;
      if (ids.some((id) => seen.has(id))) same++;
      for (const id of ids) seen.add(id);
    }
  }
  return same / all;
}

function distance(expected: readonly string[], found: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of expected) counts.set(one, (counts.get(one) ?? 0) + 1 / expected.length);
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) - 1 / found.length);
  return [...counts.values()].reduce((sum, value) => sum + Math.abs(value), 0) / 2;
}

let state = 7;
/** Returns a pseudorandom number from 0 to 1 (xorshift). */
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

function ideal(values: readonly string[], n: number): number {
  return distance(
    values,
    Array.from({ length: n }, () => values[Math.floor(random() * values.length)]),
  );
}

/** Counts the lines of a log in each window, of which there are at least `count`. */
function windows(lines: readonly Line[], seconds: number, count: number): number[] {
  const first = firstSecond(lines);
  const counts = new Array<number>(count).fill(0);
  for (const { second } of lines) {
    const window = Math.floor((second - first) / seconds);
    while (counts.length <= window) counts.push(0);
    counts[window]++;
  }
  return counts;
}

function firstSecond(lines: readonly Line[]): number {
  return lines.reduce((first, { second }) => Math.min(first, second), Infinity);
}

function dispersion(counts: readonly number[]): number {
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  return counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / counts.length / mean;
}

function peak(counts: readonly number[]): number {
  return counts.reduce((most, count) => Math.max(most, count), 0);
}

/** Property of a log: the value to reach, the value received, and whether it is close enough. */
export interface Row {
  readonly name: string;
  readonly expected: number;
  readonly received: number;
  readonly limit: string;
  readonly passes: boolean;
}

/**
 * Judges a replay. The expected distance is that of an ideal sampler, which draws as many requests
 * from the log as the replayed sample has. `sample` is the number of requests in that sample.
 */
export function judge(log: string, received: string, sample: number): Row[] {
  const [sent, got] = [parse(log), parse(received)];
  const [visits, replayed] = [visitsOf(sent, IDLE_SECONDS), visitsOf(got, Infinity)];
  const distances = ([
    ["endpoints", sent.map(endpoint), got.map(endpoint)],
    ["URLs", sent.map(({ url }) => url), got.map(({ url }) => url)],
    ["transitions", pairs(visits), pairs(replayed)],
  ] as const).map(([name, a, b]) =>
    row(
      `distance of ${name}`,
      ideal(a, Math.round(a.length * Math.min(1, sample / sent.length))),
      distance(a, b),
      "at most 1.3 times",
      (expected, found) => found <= 1.3 * expected,
    )
  );
  const share = (list: readonly Line[][], n: number) =>
    list.filter(({ length }) => length > 1).flat().length / n;
  const near = (percent: number) => (expected: number, found: number) =>
    Math.abs(found - expected) <= expected * percent / 100 + 1e-9;
  const within = (name: string, a: number, b: number, percent: number) =>
    row(name, a, b, `within ${percent} %`, near(percent));
  const last = sent.reduce((last, { second }) => Math.max(last, second), 0);
  const [all, of] = [sent.length, got.length];
  return [
    ...distances,
    within("requests in visits of 2 or more", share(visits, all), share(replayed, of), 2),
    within("transitions per request", pairs(visits).length / all, pairs(replayed).length / of, 2),
    within("mean length of a visit", all / visits.length, of / replayed.length, 2),
    row(
      "same object as earlier in the visit",
      sameObject(visits),
      sameObject(replayed),
      "at least 99 %",
      (expected, found) => found >= 0.99 * expected,
    ),
    ...[1, 10, 60].flatMap((seconds) => {
      // The last visit of the log may not be in the sample, so the log determines the time.
      const count = Math.floor((last - firstSecond(sent)) / seconds) + 1;
      const [a, b] = [windows(sent, seconds, count), windows(got, seconds, count)];
      return [
        within(`variance to mean at ${seconds} s`, dispersion(a), dispersion(b), 15),
        within(`peak in ${seconds} s`, peak(a), peak(b), 10),
      ];
    }),
    within("visits", visits.length, replayed.length, 0),
  ];
}

function row(
  name: string,
  expected: number,
  received: number,
  limit: string,
  passes: (expected: number, received: number) => boolean,
): Row {
  return { name, expected, received, limit, passes: passes(expected, received) };
}
