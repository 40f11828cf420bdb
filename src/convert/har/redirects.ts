import type { Draft } from "../correlate/draft.ts";

/** What becomes of the recorded redirects. */
export interface Redirects {
  /** Not to be followed: the target is a call of its own, or is not to be called, or the redirect is read. */
  readonly stopped: ReadonlySet<Draft>;
  /** Followed, as the target is not among the recorded calls. */
  readonly followed: ReadonlySet<Draft>;
}

/**
 * Sorts the redirects. A redirect leads to the first call that was made to its target afterwards and that
 * no earlier redirect led to; one that leads to no call is followed unless `mustStop` says otherwise.
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
    const leads = takeNext(calls.get(target) ?? [], draft) || mustStop(draft, target);
    (leads ? stopped : followed).add(draft);
  }
  return { stopped, followed };
}

/** The URL that a response sends its client on to; undefined when it is no redirect. */
export function redirectTarget({ exchange: { request, response } }: Draft): string | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.find(({ name }) => name.toLowerCase() === "location")?.value;
  if (location === undefined || !URL.canParse(location, request.url)) return undefined;
  return withoutFragment(location, request.url);
}

/** Takes the first call after the redirect, and those before it, off the list. */
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
