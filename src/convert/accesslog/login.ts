import { isMap } from "../../base/exact_number.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import { requestMethod } from "../../plan/kinds/names.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literalText } from "../../plan/text/template.ts";
import type { Visit, VisitRequest, Visits } from "../../traffic/accesslog/collect/visits/visits.ts";

/** Name of the steps of a login in the step `visits`, and in the file of visits. */
export const LOGIN = "login";

/** A recorded login, and the visits of a log that need it. */
export interface Login {
  readonly steps: Step[];
  /** Number of requests that the login sends. */
  readonly requests: number;
  /** Reports whether a visit got pages that only logged-in users get. */
  isNeeded(visit: Visit): boolean;
  /** Reports whether a request of a visit that needs the login is a part of the login itself. */
  replaces(request: VisitRequest): boolean;
}

/**
 * Finds out which visits need the login of a plan that was made from a HAR. Only logged-in users
 * get an endpoint if it has responses with 2xx, and either it also refused: with 401 or 403, or
 * with a redirect after which the visit continued with a page of the login. Or, if the log has
 * logins, all its responses with 2xx follow one.
 */
export function readLogin(plan: Plan, seen: Visits, visits: readonly Visit[]): Login {
  const steps = followingRedirects(plan.scenarios.recorded.flow);
  const sent = [...listRequests(steps)].map((request) => ({
    method: requestMethod(request),
    path: pathOf(literalText(request.url) ?? request.url),
  }));
  const pages = new Set(sent.map(({ method, path }) => `${method} ${path}`));
  const writes = new Set(
    sent.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`),
  );
  const nameOf = ({ url }: VisitRequest) =>
    `${seen.endpoint(url).split(" ", 1)[0]} ${pathOf(seen.url(url))}`;
  const [refused, opened, closed] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let hasLogins = false;
  for (const { requests } of visits) {
    let isIn = false;
    for (const [i, request] of requests.entries()) {
      const endpoint = seen.endpoint(request.url);
      const { status } = request;
      const next = requests[i + 1];
      if (writes.has(nameOf(request)) && status < 400) hasLogins = isIn = true;
      if (status === 401 || status === 403) refused.add(endpoint);
      if (status >= 300 && status < 400 && next !== undefined && pages.has(nameOf(next))) {
        if (!pages.has(nameOf(request))) refused.add(endpoint);
      }
      if (isOk(request)) (isIn ? closed : opened).add(endpoint);
    }
  }
  const isPrivate = (endpoint: string) =>
    refused.has(endpoint) || hasLogins && closed.has(endpoint) && !opened.has(endpoint);
  return {
    steps,
    requests: sent.length,
    isNeeded: ({ requests }) =>
      requests.some((request) => isOk(request) && isPrivate(seen.endpoint(request.url))),
    replaces: (request) => writes.has(nameOf(request)),
  };
}

function isOk({ status }: VisitRequest): boolean {
  return status >= 200 && status < 300;
}

/** Returns the path of a URL without its origin and query. */
function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
}

/** Lets the requests follow redirects, as a plan from a HAR expects, unless they do not follow. */
function followingRedirects<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(followingRedirects) as Value;
  if (!isMap(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === "request" && isMap(member)
        ? [key, { follow_redirects: true, ...member }]
        : [key, followingRedirects(member)]
    ),
  );
  return copy as Value;
}
