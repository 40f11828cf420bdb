import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_order.ts";
import type {
  EndpointValues,
  ValueCount,
} from "../../traffic/accesslog/collect/endpoint_values.ts";

/** Returns the name of an endpoint in a plan, such as `GET /products`. */
export function endpointName({ method, route }: EndpointCount): string {
  return `${method} ${route}`;
}

/** Returns the recorded endpoints that were merged into an endpoint of the plan. */
export type PartsOf = (endpoint: EndpointCount) => readonly EndpointCount[];

/**
 * Returns the collected values of each endpoint. The result for an endpoint has one list for each
 * recorded endpoint that was merged into it, in the order in which `partsOf` returns them.
 */
export function valuesOf(
  values: EndpointValues,
  endpoints: readonly EndpointCount[],
  partsOf: PartsOf,
): ValueCount[][][] {
  const parts = endpoints.map(partsOf);
  const all = values.forEndpoints(parts.flat().map(endpointName));
  let at = 0;
  return parts.map(({ length }) => all.slice(at, at += length));
}

/**
 * Returns a list that contains only `endpoint`. Use it as `PartsOf` if no endpoints were merged.
 */
export function notMerged(endpoint: EndpointCount): readonly EndpointCount[] {
  return [endpoint];
}
