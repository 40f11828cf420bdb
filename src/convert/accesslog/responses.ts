import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Request } from "../../plan/kinds/request.ts";
import {
  type StatusCounts,
  type Statuses,
  sumStatuses,
} from "../../traffic/accesslog/collect/small_collectors.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_order.ts";
import { endpointName } from "./endpoint_parts.ts";

/** Recorded statuses, and what the plan takes from them. */
export interface ResponseOptions {
  readonly seen: Statuses;
  /** True to check that the class of each status is as in the log. */
  readonly checks: boolean;
  /** True to send the recorded share of 304 responses as conditional requests. */
  readonly revalidates: boolean;
}

/** Keys of a request that the recorded statuses of its endpoint decide. */
export type ResponseKeys = Pick<Request, "checks" | "follow_redirects" | "revalidate">;

/**
 * Returns a function that returns the keys that make a request depend on the recorded statuses of
 * its endpoint. `nameOf` converts the name of a recorded endpoint to that in the plan.
 */
export function responseKeys(
  { seen, checks, revalidates }: ResponseOptions,
  nameOf: (recorded: string) => string = (recorded) => recorded,
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
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { revalidate: Number((notModified / all).toPrecision(3)) };
}

/**
 * Returns a check that accepts the recorded status classes. It accepts server errors only if the
 * log has no other responses. A redirect is checked itself, not the response to which it leads.
 */
function statusClasses(counts: StatusCounts): ResponseKeys | undefined {
  const found = new Set([...counts.keys()].map((status) => Math.floor(status / 100)));
  const classes = [1, 2, 3, 4].filter((one) => found.has(one));
  if (classes.length === 0 && found.has(5)) classes.push(5);
  if (classes.length === 0) return undefined;
  const matches = classes.length === 1 ? `^${classes[0]}` : `^[${classes.join("")}]`;
  const check: Condition = { type: "status", name: "status class as in the log", matches };
  return { checks: [check], ...(found.has(3) && { follow_redirects: false }) };
}
