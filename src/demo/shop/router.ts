import type { DemoCall } from "./call.ts";

/** Handles a request. Throws `Refusal` to reject it. */
export type Handler = (call: DemoCall) => Response | Promise<Response>;

/** A method, a path and a handler. `:name` in the path matches any single segment. */
export type Route = readonly [method: string, path: string, handler: Handler];

/** The route of a request, with the values of its path parameters. */
export interface Match {
  readonly path: string;
  readonly handler: Handler;
  readonly params: Record<string, string>;
}

/**
 * Creates a function that finds the route of a request. The function returns undefined if no route
 * matches. HEAD requests use the routes of GET.
 */
export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => Match | undefined {
  const table = routes.map(([method, path, handler]) => {
    return { method, path, handler, segments: path.split("/") };
  });
  return (method, path) => {
    const routeMethod = method === "HEAD" ? "GET" : method;
    const segments = path.split("/");
    for (const route of table) {
      if (route.method !== routeMethod) continue;
      const params = matchPath(route.segments, segments);
      if (params) return { path: route.path, handler: route.handler, params };
    }
    return undefined;
  };
}

function matchPath(pattern: readonly string[], path: readonly string[]) {
  if (pattern.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, segment] of pattern.entries()) {
    if (segment.startsWith(":")) params[segment.slice(1)] = path[i];
    else if (segment !== path[i]) return undefined;
  }
  return params;
}
