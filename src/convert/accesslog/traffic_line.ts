import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/traffic_profile.ts";
import { isStaticAsset } from "../../traffic/har/static_asset.ts";
import { percentText } from "../wording.ts";
import { chooseRatePeriod, periodCounts } from "./periods.ts";

/** Smaller shares are not worth a word. */
const LEAST_SHARE = 0.01;

/**
 * Describes the traffic of a log in one line: the shares that a plan rarely wants, each with the option
 * that leaves it out. Undefined if there is none. Looks at counts only, at no request.
 */
export function trafficLine(profile: TrafficProfile, span: TimeSpan): string | undefined {
  const parts = [
    { share: staticShare(profile), words: "static assets (--no-static)" },
    { share: idleShare(profile, span), words: "of the time idle (--since, --until)" },
  ].filter(({ share }) => share >= LEAST_SHARE)
    .map(({ share, words }) => `${percentText(share, 1)} ${words}`);
  return parts.length === 0 ? undefined : `traffic: ${parts.join(", ")}`;
}

/** The share of requests that `--no-static` would leave out. */
function staticShare(profile: TrafficProfile): number {
  const decoder = new TextDecoder();
  const isStatic = (key: Uint8Array) => {
    if (!mayHaveExtension(key)) return false;
    const [method, path] = decoder.decode(key).split(" ", 2);
    return /^(?:GET|HEAD)$/.test(method) && isStaticAsset("", path);
  };
  return profile.requestsWhere(isStatic) / profile.requests;
}

/** Prefilter: an extension starts with a dot, or an escaped one. */
function mayHaveExtension(key: Uint8Array): boolean {
  return key.includes(0x2e) || key.includes(0x25);
}

/** The share of the span without requests, in periods that would have some if they came evenly. */
function idleShare(profile: TrafficProfile, span: TimeSpan): number {
  const seconds = chooseRatePeriod(profile, span);
  let busy = 0;
  for (const [_, requests] of periodCounts(profile, span, seconds)) if (requests > 0) busy++;
  return 1 - busy / Math.ceil(span.seconds / seconds);
}
