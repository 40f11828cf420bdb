import { literal, literalText, parseTemplate, variablesIn } from "../../../plan/text/template.ts";
import type { EndpointCount } from "../profile/endpoint_table.ts";
import type { TrafficProfile } from "../profile/traffic_profile.ts";
import { findRoutes, type FoundParameter } from "./find_routes.ts";
import type { RoutePattern } from "./route_pattern.ts";

/** Options that determine which routes are merged. */
export interface RouteOptions {
  /** Patterns to try, in this order, before automatic routes. */
  readonly patterns: readonly RoutePattern[];
  /** Whether path segments with many different values also become parameters. */
  readonly isAutomatic: boolean;
  /**
   * Returns the name of a parameter for a path segment that must not appear in a plan, such as a
   * token. Returns undefined for other segments. `segment` is escaped like `EndpointCount.route`.
   * If this function is absent, no segment is redacted.
   */
  readonly redactedAs?: (segment: string) => string | undefined;
}

/** Endpoints of a log after their routes were merged. */
export interface MergedRoutes {
  /** Parameters that were found automatically, because a path segment has many different values. */
  readonly found: readonly FoundParameter[];
  /** Patterns that no endpoint matches. */
  readonly unmatched: readonly RoutePattern[];
  /** Value of each path parameter in the most frequent path that contains it, by parameter name. */
  readonly samples: ReadonlyMap<string, string>;
  /** Returns the recorded endpoints that were merged into `endpoint`, most frequent first. */
  partsOf(endpoint: EndpointCount): readonly EndpointCount[];
  /**
   * Converts the name (`METHOD route`) of a recorded endpoint to that of the endpoint into which it
   * was merged.
   */
  nameOf(recorded: string): string;
}

/**
 * In the routes of a profile, replaces path segments with parameters, and merges the endpoints
 * whose routes become equal. Changes `profile`.
 */
export function mergeRoutes(
  profile: TrafficProfile,
  { patterns, isAutomatic, redactedAs }: RouteOptions,
): MergedRoutes {
  const recorded = profile.top(Infinity);
  const unmatched = new Set(patterns);
  const first = recorded.map((endpoint) => {
    const pattern = patterns.find(({ matches }) => matches(endpoint.route));
    if (pattern !== undefined) unmatched.delete(pattern);
    return { ...endpoint, route: redacted(pattern?.route ?? endpoint.route, redactedAs) };
  });
  const automatic = isAutomatic ? findRoutes(first) : undefined;
  const routes = first.map((endpoint) => automatic?.routeOf(endpoint) ?? endpoint.route);
  const names = new Map(recorded.map((endpoint, i) => [
    nameOf(endpoint),
    nameOf({ ...endpoint, route: routes[i] }),
  ]));
  const parts = Map.groupBy(recorded, (endpoint) => names.get(nameOf(endpoint))!);
  const samples = new Map<string, string>();
  recorded.forEach((endpoint, i) => {
    if (routes[i] === endpoint.route) return;
    const values = parameterValues(routes[i], endpoint.route);
    for (const [k, name] of variablesIn(routes[i]).entries()) {
      const isText = values[k] !== undefined && literalText(values[k]) !== undefined;
      if (isText && !samples.has(name)) samples.set(name, values[k]);
    }
  });
  profile.rename((name) => names.get(name)!);
  return {
    found: automatic?.parameters ?? [],
    unmatched: [...unmatched],
    samples,
    partsOf: (endpoint) => parts.get(nameOf(endpoint)) ?? [endpoint],
    nameOf: (name) => names.get(name) ?? name,
  };
}

/**
 * Substitutes a parameter for each segment of a route that must not appear in a plan. `redactedAs`
 * returns the name of the parameter.
 */
function redacted(route: string, redactedAs: RouteOptions["redactedAs"]): string {
  if (redactedAs === undefined) return route;
  const names = new Set<string>();
  return route.split("/").map((segment) => {
    const base = redactedAs(segment);
    if (base === undefined) return segment;
    let name = base;
    for (let i = 2; names.has(name); i++) name = `${base}_${i}`;
    names.add(name);
    return `\${vars.${name}}`;
  }).join("/");
}

function nameOf({ method, route }: EndpointCount): string {
  return `${method} ${route}`;
}

/**
 * Returns the value of each parameter of `route` in the path `recorded`, in order. Both paths are
 * escaped like `EndpointCount.route`. A value is `${vars.id}` if the recorded path contains an id
 * there.
 */
export function parameterValues(route: string, recorded: string): string[] {
  const pattern = parseTemplate(route).map((part) =>
    part.kind === "text" ? RegExp.escape(literal(part.text)) : "([^/]+?)"
  );
  return new RegExp(`^${pattern.join("")}$`, "s").exec(recorded)?.slice(1) ?? [];
}
