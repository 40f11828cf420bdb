import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/traffic_profile.ts";
import { isStaticAsset } from "../../traffic/har/static_asset.ts";
import { percentText } from "../wording.ts";
import { chooseRatePeriod, periodCounts } from "./periods.ts";

/** Smaller shares are not reported. */
const LEAST_SHARE = 0.01;

/**
 * Describes the parts of a log's traffic that a plan rarely needs in one line, each with the option
 * that excludes it. Returns undefined if there are none. Reads only counts, not single requests.
 */
export function trafficLine(profile: TrafficProfile, span: TimeSpan): string | undefined {
  const parts = [
    { share: staticShare(profile), words: "static assets (exclude with `--no-static`)" },
    {
      share: idleShare(profile, span),
      words: "of the time idle (exclude with `--since`, `--until`)",
    },
  ].filter(({ share }) => share >= LEAST_SHARE)
    .map(({ share, words }) => `${percentText(share, 1)} ${words}`);
  return parts.length === 0 ? undefined : `traffic: ${parts.join(", ")}`;
}

/** Returns the share of requests that `--no-static` would exclude. */
function staticShare(profile: TrafficProfile): number {
  const decoder = new TextDecoder();
  const isStatic = (key: Uint8Array) => {
    if (!mayHaveExtension(key)) return false;
    const [method, path] = decoder.decode(key).split(" ", 2);
    return /^(?:GET|HEAD)$/.test(method) && isStaticAsset("", path);
  };
  return profile.countRequestsWhere(isStatic) / profile.requests;
}

/** Prefilter: a file extension starts with a dot, possibly percent-encoded. May return false positives. */
function mayHaveExtension(key: Uint8Array): boolean {
  return key.includes(0x2e) || key.includes(0x25);
}

/**
 * Returns the share of periods without requests. Periods are long enough to have requests if the load
 * were even.
 */
function idleShare(profile: TrafficProfile, span: TimeSpan): number {
  const seconds = chooseRatePeriod(profile, span);
  let busy = 0;
  for (const [_, requests] of periodCounts(profile, span, seconds)) if (requests > 0) busy++;
  return 1 - busy / Math.ceil(span.seconds / seconds);
}
