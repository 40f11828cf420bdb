import { parseTemplate } from "../../plan/text/template.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";

/** Headers by name, as written in a plan. */
export type PlanHeaders = NonNullable<Request["headers"]>;

/** Minimum fraction of the requests that must send a header for it to become a default header. */
const SHARED = 0.9;

/** The headers of a plan, divided into defaults and the headers of each request. */
export interface DividedHeaders {
  /** Headers for `defaults.http.headers`. Empty if there are none. */
  readonly defaults: PlanHeaders;
  /**
   * Headers of each request, in the order of the arguments. Together with the defaults, they give the
   * original headers.
   */
  readonly own: readonly PlanHeaders[];
}

/**
 * Makes each header that at least 90 % of the requests send with the same value a default header. A
 * request that sends another value keeps it, and a request without the header gets null. Headers with
 * extracted variables stay in the requests, because the variables are not set at the start. A single
 * request keeps all its headers.
 */
export function divideHeaders(
  requests: readonly Readonly<Record<string, string>>[],
): DividedHeaders {
  const defaults = requests.length < 2 ? new Map<string, string>() : sharedHeaders(requests);
  const shared = [...defaults.keys()];
  const own = requests.map((headers): PlanHeaders => {
    const rest: [name: string, value: string | null][] = [];
    for (const name in headers) {
      if (defaults.get(name) !== headers[name]) rest.push([name, headers[name]]);
    }
    for (const name of shared) if (!hasHeader(headers, name)) rest.push([name, null]);
    return Object.fromEntries(rest);
  });
  return { defaults: Object.fromEntries(defaults), own };
}

function hasHeader(headers: Readonly<Record<string, string>>, name: string): boolean {
  if (Object.hasOwn(headers, name)) return true;
  const lower = name.toLowerCase();
  return Object.keys(headers).some((other) => other.toLowerCase() === lower);
}

function sharedHeaders(
  requests: readonly Readonly<Record<string, string>>[],
): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const headers of requests) {
    for (const name in headers) {
      let values = counts.get(name);
      if (values === undefined) counts.set(name, values = new Map());
      values.set(headers[name], (values.get(headers[name]) ?? 0) + 1);
    }
  }
  const shared = new Map<string, string>();
  for (const [name, values] of counts) {
    // A body may imply its content type, which null would remove.
    if (name.toLowerCase() === "content-type") continue;
    for (const [value, count] of values) {
      if (count >= SHARED * requests.length && isFixed(value)) shared.set(name, value);
    }
  }
  return shared;
}

/** Reports whether a template contains no expressions except secrets. */
function isFixed(template: string): boolean {
  return parseTemplate(template).every(({ kind }) => kind === "text" || kind === "secrets");
}
