/**
 * Prints the maximum deviation of a 30-stage curve from the requests of a log, as a percentage of
 * all requests. Repeats this with filters that leave only bursts. Also prints the smallest possible
 * deviation of a curve on a grid (the dynamic program of `tests/oracles/least_on_grid.ts`):
 *
 *     deno run -A scripts/bench/curve.ts [FILE...]
 *
 * Logs are in the combined format. Without a file, uses one day of a generated log.
 */
import { cumulativeAt, samplePoints } from "../../src/convert/accesslog/rate/stage_limits.ts";
import { gridRates, leastOnGrid } from "../../tests/oracles/least_on_grid.ts";
import { fitRateCurve, maximumDeviation } from "../../src/convert/accesslog/rate/rate_curve.ts";
import { buildFilters, type FilterOptions } from "../../src/traffic/accesslog/collect/filters.ts";
import { COMBINED } from "../../src/traffic/accesslog/formats/web_servers.ts";
import { LogScanner } from "../../src/traffic/accesslog/log_scanner.ts";
import { TrafficProfile } from "../../src/traffic/accesslog/profile/traffic_profile.ts";
import { makeLog } from "../make_log.ts";

const STAGES = 30;
const POINTS = 300;
const GRID_POINTS = 60;
const GRID_RATES = 28;
/**
 * Minimum number of requests that a filter must leave. With fewer requests, no curve is computed.
 */
const MIN_REQUESTS = 100;
const FILTERS: readonly [name: string, options: FilterOptions][] = [
  ["all", {}],
  ["--status 404", { statuses: ["404"] }],
  ["--status 3xx", { statuses: ["3xx"] }],
  ["--status 5xx", { statuses: ["5xx"] }],
  ["--method POST", { methods: ["POST"] }],
  ["--no-bots --no-static", { noBots: true, noStatic: true }],
];

function buildProfile(chunks: Iterable<Uint8Array>, options: FilterOptions): TrafficProfile {
  const profile = new TrafficProfile();
  const use = { filters: buildFilters(options), collectors: [] };
  const scanner = new LogScanner(profile.tally, COMBINED, use);
  for (const chunk of chunks) scanner.scan(chunk);
  scanner.finish();
  return profile;
}

function smallestDeviation(profile: TrafficProfile, within: number): number {
  const points = samplePoints(profile, POINTS);
  const times = new Set(samplePoints(profile, GRID_POINTS));
  const cumulative = cumulativeAt(profile, points);
  const grid = {
    points: [...points.keys()].filter((i) => times.has(points[i])),
    rates: gridRates(cumulative, GRID_RATES),
  };
  return leastOnGrid(cumulative, STAGES, grid, within).least;
}

const day = () => makeLog({ bytes: 30_000_000, seed: 1, diurnal: true });
const logs: readonly [name: string, read: () => Iterable<Uint8Array>][] = Deno.args.length === 0
  ? [["generated log", day]]
  : Deno.args.map((path) => [path, () => [Deno.readFileSync(path)]]);

for (const [name, read] of logs) {
  for (const [filter, options] of FILTERS) {
    const profile = buildProfile(read(), options);
    if (profile.requests < MIN_REQUESTS) continue;
    const off = maximumDeviation(profile, fitRateCurve(profile, STAGES));
    const percent = (count: number) => (100 * count / profile.requests).toFixed(2);
    console.log(
      `${name}, ${filter}: ${profile.requests} requests, deviation ${
        percent(off)
      }%, minimum on grid ` +
        `${percent(smallestDeviation(profile, off * 1.3))}%`,
    );
  }
}
