import type { Draft } from "../correlate/draft.ts";

/** The recorded redirects, by whether the plan follows them. */
export interface Redirects {
  /** Not followed: the target is a separate call or is excluded, or a value is extracted from the redirect. */
  readonly stopped: ReadonlySet<Draft>;
  /** Followed, because the target is not among the recorded calls. */
  readonly followed: ReadonlySet<Draft>;
}

/**
 * Sorts the redirects. The call of a redirect is the first later call to its target that does not belong
 * to an earlier redirect. A redirect without a call is followed unless `mustStop` returns true.
 */
export function sortRedirects(
  drafts: readonly Draft[],
  mustStop: (draft: Draft, target: string) => boolean,
): Redirects {
  const calls = Map.groupBy(drafts, ({ exchange }) => withoutFragment(exchange.request.url));
  const stopped = new Set<Draft>();
  const followed = new Set<Draft>();
  for (const draft of drafts) {
    const target = redirectTarget(draft);
    if (target === undefined) continue;
    const isStopped = takeNext(calls.get(target) ?? [], draft) || mustStop(draft, target);
    (isStopped ? stopped : followed).add(draft);
  }
  return { stopped, followed };
}

/** Returns the target URL of a redirect without its fragment; undefined for other responses. */
export function redirectTarget({ exchange: { request, response } }: Draft): string | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.find(({ name }) => name.toLowerCase() === "location")?.value;
  if (location === undefined || !URL.canParse(location, request.url)) return undefined;
  return withoutFragment(location, request.url);
}

/** Removes the first call after the redirect, and those before it, from the list; false if there is none. */
function takeNext(calls: Draft[], { order }: Draft): boolean {
  const next = calls.findIndex((call) => call.order > order);
  if (next < 0) return false;
  calls.splice(0, next + 1);
  return true;
}

function withoutFragment(text: string, base?: string): string {
  const url = new URL(text, base);
  url.hash = "";
  return url.href;
}
