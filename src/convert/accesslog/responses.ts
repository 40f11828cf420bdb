import { InputError } from "../../base/errors.ts";
import { isMap } from "../../base/exact_number.ts";
import { formatThousands, plural } from "../../base/format.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import { type Request, requestMethod } from "../../plan/kinds/request.ts";
import { MAX_VUS } from "../../plan/kinds/scenario.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literalText } from "../../plan/text/template.ts";
import {
  type StatusCounts,
  type Statuses,
  sumStatuses,
  type Timings,
} from "../../traffic/accesslog/collect/request_counts.ts";
import type { Visit, VisitRequest, Visits } from "../../traffic/accesslog/collect/visits.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import type { Note } from "../notes/notes.ts";
import { endpointName } from "./ids.ts";

export interface ObservedLimits {
  readonly thresholds: NonNullable<Plan["thresholds"]>;
  readonly preAllocatedVus: number;
  readonly maxVus: number;
  readonly note: Note;
}

/**
 * Derives thresholds from durations and failures. VUs follow Little's law: `peak` (per second)
 * times the mean duration, or for the most, p99. Throws InputError without durations.
 */
export function observedLimits(
  { durations, withStatus, failed }: Timings,
  peak: number,
): ObservedLimits {
  if (durations.count === 0) {
    throw new InputError(
      "cannot derive thresholds from the log: it does not contain request durations; log them " +
        "(`$request_time`, `%D`, …) and give `--log-format`, or omit `--thresholds`",
      { source: "access log" },
    );
  }
  const percentile = (percent: number) =>
    Math.max(1, Math.ceil(durations.percentile(percent) / 1_000));
  const [p95, p99] = [percentile(95), percentile(99)];
  const meanMs = durations.mean / 1_000;
  const preAllocatedVus = Math.min(MAX_VUS, Math.max(1, Math.ceil(peak * meanMs / 1_000)));
  const maxVus = Math.min(MAX_VUS, Math.max(2 * preAllocatedVus, Math.ceil(peak * p99 / 1_000)));
  // Rounded up, so that the log's own results pass.
  const share = Math.ceil(1e4 * failed / Math.max(1, withStatus)) / 1e4;
  return {
    thresholds: {
      http_req_duration: [`p(95)<=${p95}`, `p(99)<=${p99}`],
      ...(withStatus > 0 && { http_req_failed: [`rate<=${share}`] }),
    },
    preAllocatedVus,
    maxVus,
    note: {
      code: "observed-thresholds",
      subject: "thresholds",
      message: `derived from ${plural(durations.count, "timed request")} in the log: p95 ` +
        `${formatThousands(p95)} ms, p99 ${formatThousands(p99)} ms, ${
          formatThousands(failed)
        } failed; \`max_vus\` is ` +
        `${formatThousands(maxVus)} by Little's law, for ${
          plural(peak, "request")
        } in the busiest second ` +
        `and a mean duration of ${Number(meanMs.toPrecision(3))} ms; replace the thresholds with ` +
        "your own targets",
    },
  };
}

export interface ResponseOptions {
  readonly seen: Statuses;
  readonly checks: boolean;
  readonly revalidates: boolean;
}

export type ResponseKeys = Pick<Request, "checks" | "follow_redirects" | "revalidate">;

/** Keys of a request that depend on recorded statuses. `nameOf` converts an endpoint's name. */
export function responseKeys(
  { seen, checks, revalidates }: ResponseOptions,
  nameOf: (recorded: string) => string,
): (endpoint: EndpointCount) => ResponseKeys {
  const byName = Map.groupBy(seen.byEndpoint(), ([recorded]) => nameOf(recorded));
  return (endpoint) => {
    const rows = byName.get(endpointName(endpoint)) ?? [];
    const counts = sumStatuses(rows.map(([, counts]) => counts));
    return {
      ...(revalidates && /^(?:GET|HEAD)$/.test(endpoint.method) && revalidated(counts)),
      ...(checks && statusClasses(counts)),
    };
  };
}

function revalidated(counts: StatusCounts): Pick<ResponseKeys, "revalidate"> | undefined {
  const notModified = counts.get(304) ?? 0;
  if (notModified === 0) return undefined;
  const responses = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { revalidate: Number((notModified / responses).toPrecision(3)) };
}

/** Accepts server errors only if the log has no other responses. Checks a redirect itself. */
function statusClasses(counts: StatusCounts): ResponseKeys | undefined {
  const found = new Set([...counts.keys()].map((status) => Math.floor(status / 100)));
  const classes = [1, 2, 3, 4].filter((hundreds) => found.has(hundreds));
  if (classes.length === 0 && found.has(5)) classes.push(5);
  if (classes.length === 0) return undefined;
  const matches = classes.length === 1 ? `^${classes[0]}` : `^[${classes.join("")}]`;
  const check: Condition = { type: "status", name: "status class as in the log", matches };
  return { checks: [check], ...(found.has(3) && { follow_redirects: false }) };
}

export interface Login {
  readonly steps: Step[];
  readonly requests: number;
  isNeeded(visit: Visit): boolean;
  replaces(request: VisitRequest): boolean;
}

/**
 * Finds out which visits need the login of a plan from a HAR: only logged-in users get an endpoint
 * with 2xx that also refused (401, 403, or a redirect after which the visit continued with a page
 * of the login) or, if the log has logins, whose responses with 2xx all follow one.
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

function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") || "/";
}

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
