import { InputError } from "../../../base/errors.ts";
import { isMap } from "../../../base/exact_number.ts";
import { literal, literalText, parseTemplate, variablesIn } from "../../../plan/text/template.ts";
import type { EndpointCount } from "../profile/endpoint_table.ts";
import type { TrafficProfile } from "../profile/traffic_profile.ts";
import { findRoutes, type FoundParameter, uniqueName, variableName } from "./find_routes.ts";

/** Options that determine which routes are merged. */
export interface RouteOptions {
  /** Tried in this order, before automatic routes. */
  readonly patterns: readonly RoutePattern[];
  readonly isAutomatic: boolean;
  /** Parameter for a segment that must not appear in a plan, such as a token. */
  readonly redactedAs?: (segment: string) => string | undefined;
}

/** Endpoints of a log after their routes were merged. */
export interface MergedRoutes {
  /** Found automatically, because a segment has many different values. */
  readonly found: readonly FoundParameter[];
  readonly unmatched: readonly RoutePattern[];
  readonly samples: ReadonlyMap<string, string>;
  /** Most frequent first. */
  partsOf(endpoint: EndpointCount): readonly EndpointCount[];
  /** Converts a recorded `METHOD route` to that of the merged endpoint. */
  nameOf(recorded: string): string;
}

/** The recorded endpoints, none of which is merged. */
export const NOT_MERGED: MergedRoutes = {
  found: [],
  unmatched: [],
  samples: new Map(),
  partsOf: (endpoint) => [endpoint],
  nameOf: (recorded) => recorded,
};

/** Merges endpoints whose routes become equal. Changes `profile`. */
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

function redacted(route: string, redactedAs: RouteOptions["redactedAs"]): string {
  if (redactedAs === undefined) return route;
  const names = new Set<string>();
  return route.split("/").map((segment) => {
    const base = redactedAs(segment);
    if (base === undefined) return segment;
    return `\${vars.${uniqueName(base, names)}}`;
  }).join("/");
}

function nameOf({ method, route }: EndpointCount): string {
  return `${method} ${route}`;
}

/** `${vars.id}` for an id. Both are escaped like `EndpointCount.route`. */
export function parameterValues(route: string, recorded: string): string[] {
  const pattern = parseTemplate(route).map((part) =>
    part.kind === "text" ? RegExp.escape(literal(part.text)) : "([^/]+?)"
  );
  return new RegExp(`^${pattern.join("")}$`, "s").exec(recorded)?.slice(1) ?? [];
}

/** A path whose parameters match any text, such as `/blog/:slug`. */
export interface RoutePattern {
  /** The pattern as the user or the OpenAPI document wrote it, such as `/blog/:slug`. */
  readonly text: string;
  readonly isGiven: boolean;
  /** `/blog/${vars.slug}`, escaped like `EndpointCount.route`. */
  readonly route: string;
  matches(route: string): boolean;
}

const PARAMETER = /:([A-Za-z_]\w*)|\{([^{}/]+)\}/g;

/** Returns undefined if it is not a path, or one of the user (`isGiven`) without a parameter. */
export function parseRoutePattern(text: string, isGiven = true): RoutePattern | undefined {
  if (!/^\/[^\s?#]*$/.test(text)) return undefined;
  let source = "";
  let route = "";
  let done = 0;
  for (const { 0: parameter, 1: colon, 2: braces, index } of text.matchAll(PARAMETER)) {
    // A colon is part of the path unless it starts a segment.
    if (colon !== undefined && text[index - 1] !== "/") continue;
    const fixed = planText(text.slice(done, index));
    source += RegExp.escape(fixed) + "[^/]+?";
    route += `${fixed}\${vars.${variableName(colon ?? braces)}}`;
    done = index + parameter.length;
  }
  if (done === 0 && isGiven) return undefined;
  const rest = planText(text.slice(done));
  const shape = new RegExp(`^${source}${RegExp.escape(rest)}$`);
  return { text, isGiven, route: route + rest, matches: (route) => shape.test(route) };
}

/** Percent-encoded and with `${` escaped, like `EndpointCount.route`. */
function planText(text: string): string {
  return encodeURI(text).replaceAll("%25", "%").replaceAll("${", "$${");
}

/**
 * Fewer parameters first: `/users/me` before `/users/{id}`. Throws `InputError` without `paths`.
 */
export function openApiPatterns(document: unknown, source: string): RoutePattern[] {
  if (!isMap(document) || !isMap(document.paths)) {
    throw new InputError("it has no `paths`: expected an OpenAPI document", { source });
  }
  const servers = Array.isArray(document.servers) ? document.servers : [];
  const bases = servers.filter(isMap).flatMap(({ url, variables }) => {
    const text = String(url).replace(/\{(.+?)\}/g, (given, name) => {
      const variable = isMap(variables) && variables[name];
      return isMap(variable) ? String(variable.default) : given;
    });
    const path = URL.parse(text, "http://server")?.pathname;
    return path === undefined ? [] : [path.replace(/\/$/, "")];
  });
  if (typeof document.basePath === "string") bases.push(document.basePath.replace(/\/$/, ""));
  const starts = new Set(["", ...bases]);
  const parameters = (path: string) => path.split("{").length;
  return Object.keys(document.paths).sort((a, b) => parameters(a) - parameters(b)).flatMap((path) =>
    [...starts].map((start) => parseRoutePattern(start + path, false))
  ).filter((pattern) => pattern !== undefined);
}
