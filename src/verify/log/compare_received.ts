import { sum } from "../../base/format.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Visits } from "../../traffic/accesslog/collect/visits/visits.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { chanceDistance, distanceFrom } from "./distance.ts";

/** Comparison of a log with what the target received in a run. */
export interface ReceivedComparison {
  /**
   * Variance of the number of requests per window, divided by its mean: 1 for independent requests
   * at a constant rate. `seconds` is the length of the window in the log's time.
   */
  readonly bursts: readonly {
    readonly seconds: number;
    readonly log: number;
    readonly received: number;
  }[];
  /**
   * Total variation distance, 0 to 1, of the requests over URLs with their ids and queries, and the
   * distance that random sampling alone would give. Absent if a log has no client addresses.
   */
  readonly urls?: { readonly share: number; readonly byChance: number };
}

/** A log: its requests per second, and its URLs. */
export interface ReceivedLog {
  readonly profile: TrafficProfile;
  readonly urls: Visits;
}

/** Windows in which bursts are compared, in seconds of the log. */
const WINDOWS = [1, 10, 60];

/** Compares a log with what the target of a run of `plan` wrote down. */
export function compareReceived(
  plan: Plan,
  log: ReceivedLog,
  target: ReceivedLog,
): ReceivedComparison {
  const [scenario] = Object.values(plan.scenarios);
  const squeeze = scenario.executor === "recorded-arrivals" ? scenario.squeeze ?? 1 : 1;
  const [inLog, received] = [log, target].map(({ urls }) => countUrls(urls));
  const names = [...new Set([...inLog.keys(), ...received.keys()])];
  const weights = names.map((name) => inLog.get(name) ?? 0);
  const counts = names.map((name) => received.get(name) ?? 0);
  return {
    // The target writes whole seconds, so it shows no shorter windows.
    bursts: WINDOWS.filter((seconds) => seconds >= squeeze).map((seconds) => ({
      seconds,
      log: dispersion(log.profile, seconds),
      received: dispersion(target.profile, Math.round(seconds / squeeze)),
    })),
    ...(inLog.size > 0 && received.size > 0 && {
      urls: {
        share: distanceFrom(weights, counts).share,
        byChance: chanceDistance(weights, sum(counts)),
      },
    }),
  };
}

function countUrls(urls: Visits): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { requests } of urls.list()) {
    for (const { url } of requests) {
      const name = `${urls.endpoint(url).split(" ")[0]} ${urls.url(url)}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

/** Returns the variance of the number of requests per window of `seconds`, divided by its mean. */
function dispersion(profile: TrafficProfile, seconds: number): number {
  const { first, seconds: length } = profile.span()!;
  const counts = new Map<number, number>();
  profile.forEachSecond((second, requests) => {
    const window = Math.floor((second - first) / seconds);
    counts.set(window, (counts.get(window) ?? 0) + requests);
  });
  const windows = Math.max(1, Math.ceil(length / seconds));
  const mean = profile.requests / windows;
  const squares = sum([...counts.values()].map((count) => count ** 2));
  return (squares / windows - mean ** 2) / mean;
}
