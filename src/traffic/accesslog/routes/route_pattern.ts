import { InputError } from "../../../base/errors.ts";

/** A path whose parameters, if any, match any text, such as `/blog/:slug`. */
export interface RoutePattern {
  /** The pattern as the user or the OpenAPI document wrote it, such as `/blog/:slug`. */
  readonly text: string;
  /** True if the user gave the pattern, false if it comes from an OpenAPI document. */
  readonly isGiven: boolean;
  /**
   * Route of the endpoint into which all matching endpoints are merged, with a plan variable for
   * each parameter: `/blog/${vars.slug}`. Escaped like `EndpointCount.route`.
   */
  readonly route: string;
  /** Reports whether a route, escaped like `EndpointCount.route`, matches the pattern. */
  matches(route: string): boolean;
}

const PARAMETER = /:([A-Za-z_]\w*)|\{([^{}/]+)\}/g;

/**
 * Parses a pattern. A parameter is a path segment such as `:slug`, or `{slug}` within a segment.
 * `isGiven` is true if the user gave the pattern, false if it comes from an OpenAPI document.
 * Returns undefined if the text is not a path, or if the user gave a path without a parameter.
 */
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

/**
 * Percent-encodes the fixed text of a pattern and escapes its `${`, so that it can be compared with
 * the routes of a profile (see `EndpointCount.route`).
 */
function planText(text: string): string {
  return encodeURI(text).replaceAll("%25", "%").replaceAll("${", "$${");
}

/** Converts the name of a parameter to a valid name for a plan variable. */
export function variableName(text: string): string {
  const name = text.replace(/\W+/g, "_").replace(/^_+|_+$/g, "");
  return /^[A-Za-z_]/.test(name) ? name : `value_${name}`.replace(/_$/, "");
}

/**
 * Returns the patterns of the paths in an OpenAPI document, with and without the path of each of
 * its servers (variables have their default values). Paths with fewer parameters come first, so
 * that `/users/me` is not mistaken for `/users/{id}`. Throws `InputError` if the document has no
 * `paths`. `source` is the document's name in the error message.
 */
export function openApiPatterns(document: unknown, source: string): RoutePattern[] {
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
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
