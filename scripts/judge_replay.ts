/**
 * Compares an access log with the log of a target that received a replay of it. Shares no code with
 * `src`. Both logs are in the combined format; in the second, the client field identifies a visit:
 *
 *     deno run --allow-read scripts/judge_replay.ts access.log target.log [SQUEEZE]
 *
 * `ideal` is the distance of a random sample of the log with as many elements.
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

function windows(lines: readonly Line[], seconds: number): number[] {
  let [first, last] = [Infinity, 0];
  for (const { second } of lines) [first, last] = [Math.min(first, second), Math.max(last, second)];
  const counts = new Array<number>(Math.floor((last - first) / seconds) + 1).fill(0);
  for (const { second } of lines) counts[Math.floor((second - first) / seconds)]++;
  return counts;
}

function dispersion(counts: readonly number[]): number {
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  return counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / counts.length / mean;
}

function peak(counts: readonly number[]): number {
  return counts.reduce((most, count) => Math.max(most, count), 0);
}

function show(name: string, log: number, received: number, limit = ""): void {
  console.log(
    `${name.padEnd(34)} ${log.toFixed(3).padStart(10)} ${
      received.toFixed(3).padStart(10)
    }  ${limit}`,
  );
}

const [logPath, targetPath, squeeze = "1"] = Deno.args;
const [log, target] = [logPath, targetPath].map((path) => parse(Deno.readTextFileSync(path)));
const inLog = visitsOf(log, IDLE_SECONDS);
const received = visitsOf(target, Infinity);
console.log(`${log.length} requests in ${inLog.length} visits; ${target.length} received`);
console.log(`${"".padEnd(34)} ${"ideal/log".padStart(10)} ${"received".padStart(10)}  limit`);
for (
  const [name, a, b] of [
    ["distance of endpoints", log.map(endpoint), target.map(endpoint)],
    ["distance of URLs", log.map(({ url }) => url), target.map(({ url }) => url)],
    ["distance of transitions", pairs(inLog), pairs(received)],
  ] as const
) show(name, ideal(a, b.length), distance(a, b), "at most 1.3 times");
const share = (visits: readonly Line[][], n: number) =>
  visits.filter(({ length }) => length > 1).flat().length / n;
show(
  "requests in visits of 2 or more",
  share(inLog, log.length),
  share(received, target.length),
  "2 %",
);
show(
  "transitions per request",
  pairs(inLog).length / log.length,
  pairs(received).length / target.length,
  "2 %",
);
show("mean length of a visit", log.length / inLog.length, target.length / received.length, "2 %");
show("same object as earlier in the visit", sameObject(inLog), sameObject(received), "99 %");
for (const own of new Set([1, 10, 60].map((one) => Math.max(1, Math.round(one / +squeeze))))) {
  const seconds = own * +squeeze;
  const [a, b] = [windows(log, seconds), windows(target, own)];
  show(`variance to mean at ${seconds} s`, dispersion(a), dispersion(b), "15 %");
  show(`peak in ${seconds} s`, peak(a), peak(b), "10 %");
}
show("visits", inLog.length, received.length, "equal, unless sampled");
