import { REDIRECT_STATUSES } from "../../http/redirect.ts";
import { headerValue } from "../har/recording.ts";
import type { RecordedCall } from "./recorded_call.ts";

/** The recorded redirects, divided into those that the plan follows and those that it does not. */
export interface Redirects {
  /**
   * Redirects that the plan does not follow, because their target is a separate call or an excluded
   * call, or because the plan extracts a value from their response.
   */
  readonly stopped: ReadonlySet<RecordedCall>;
  /** Redirects that the plan follows, because no recorded call requests their target. */
  readonly followed: ReadonlySet<RecordedCall>;
}

/**
 * Decides for each redirect in `calls` whether the plan follows it. Does not follow a redirect if a
 * later call requests its target (with either `http:` or `https:`). Each call counts as the target
 * of at most one redirect. Follows any other redirect unless `mustStop` returns true.
 */
export function sortRedirects(
  calls: readonly RecordedCall[],
  mustStop: (call: RecordedCall, target: string) => boolean,
): Redirects {
  const stopped = new Set<RecordedCall>();
  const followed = new Set<RecordedCall>();
  // Most recordings of an API contain no redirect, and normalizing each URL takes time.
  let byUrl: Map<string, RecordedCall[]> | undefined;
  for (const call of calls) {
    const target = redirectTarget(call);
    if (target === undefined) continue;
    byUrl ??= Map.groupBy(calls, ({ exchange }) => withoutFragment(exchange.request.url));
    const isStopped = [target, withOtherScheme(target)]
      .some((url) => takeNext(byUrl!.get(url) ?? [], call)) || mustStop(call, target);
    (isStopped ? stopped : followed).add(call);
  }
  return { stopped, followed };
}

/**
 * Returns the absolute target URL of a redirect, without its fragment. Returns undefined if the
 * response is not a redirect with a valid `Location`.
 */
export function redirectTarget(
  { exchange: { request, response } }: Pick<RecordedCall, "exchange">,
): string | undefined {
  if (!REDIRECT_STATUSES.has(response.status)) return undefined;
  const location = headerValue(response.headers, "location");
  if (location === undefined || !URL.canParse(location, request.url)) return undefined;
  return withoutFragment(location, request.url);
}

function takeNext(calls: RecordedCall[], { order }: RecordedCall): boolean {
  const next = calls.findIndex((call) => call.order > order);
  if (next < 0) return false;
  calls.splice(0, next + 1);
  return true;
}

/**
 * Returns the URL with `https:` instead of `http:`, or vice versa. Browsers change the scheme for
 * hosts that require HTTPS, and some recorders omit this step.
 */
function withOtherScheme(url: string): string {
  return url.startsWith("https:") ? `http:${url.slice(6)}` : `https:${url.slice(5)}`;
}

function withoutFragment(text: string, base?: string): string {
  const url = new URL(text, base);
  url.hash = "";
  return url.href;
}
