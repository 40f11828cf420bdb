import type { Step } from "../../../plan/kinds/steps/steps.ts";
import type { EndpointCount } from "../../../traffic/accesslog/profile/endpoint_order.ts";

/**
 * One of the weighted alternatives that an iteration chooses from: the steps of a visit pattern, or
 * a single request.
 */
export interface FlowChoice {
  readonly weight: number;
  readonly name: string;
  readonly steps: Step[];
}

/** Returns a choice with a single request, weighted by the endpoint's number of requests. */
export function buildSingleRequest(
  endpoint: EndpointCount,
  requestOf: (endpoint: EndpointCount) => Step,
): FlowChoice {
  return { weight: endpoint.count, name: endpointName(endpoint), steps: [requestOf(endpoint)] };
}

/** Returns the name of an endpoint in a plan, such as `GET /products`. */
export function endpointName({ method, route }: EndpointCount): string {
  return `${method} ${route}`;
}
