import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { isStaticAsset } from "../../traffic/static_asset.ts";
import { percentText } from "../../base/format.ts";
import { chooseRatePeriod, forEachPeriod } from "./rate/periods.ts";

/** Minimum fraction, of the log's requests or of its time span, that is reported. */
const LEAST_SHARE = 0.01;

/**
 * Describes in one line the fractions of static assets and idle time in a log, and the options that
 * exclude them, because a plan rarely needs either. Returns undefined if both fractions are below
 * 1%.
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

/** Returns the fraction of requests that `--no-static` would exclude, from 0 to 1. */
function staticShare(profile: TrafficProfile): number {
  const decoder = new TextDecoder();
  const isStatic = (key: Uint8Array) => {
    if (!mayHaveExtension(key)) return false;
    const [method, path] = decoder.decode(key).split(" ", 2);
    return /^(?:GET|HEAD)$/.test(method) && isStaticAsset("", path);
  };
  return profile.countRequestsWhere(isStatic) / profile.requests;
}

/**
 * Prefilter for static assets: reports whether an endpoint key contains a dot, or a percent sign that
 * may encode one. May return false positives, never false negatives.
 */
function mayHaveExtension(key: Uint8Array): boolean {
  return key.includes(0x2e) || key.includes(0x25);
}

/**
 * Returns the fraction of periods without requests, from 0 to 1. The periods are so long that an
 * even load would leave none empty.
 */
function idleShare(profile: TrafficProfile, span: TimeSpan): number {
  const seconds = chooseRatePeriod(profile, span);
  let busy = 0;
  forEachPeriod(profile, span, seconds, (_, requests) => busy += requests > 0 ? 1 : 0);
  return 1 - busy / Math.ceil(span.seconds / seconds);
}
