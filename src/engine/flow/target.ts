import { asText } from "../../base/exact_json.ts";
import { InputError } from "../../base/errors.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import { addParams, encodeTarget, resolveUrl, UrlError, type UrlTarget } from "../../http/url.ts";
import { TemplateFault } from "../vu/flow_end.ts";
import { compilePieces, compileTemplate, joined, type Render, render } from "./render.ts";
import type { Scope } from "./scope.ts";
import type { Vu } from "../vu/vu.ts";

/**
 * Compiled target of a request: a value if it is constant, otherwise a function that builds it for
 * a VU. The function throws TemplateFault if the URL is invalid or a variable is not set, and
 * FlowEnd if no data row is left.
 */
export type MakeTarget = UrlTarget | ((vu: Vu) => UrlTarget);

/** Compiles a request's URL and query parameters. Throws InputError if the URL is invalid. */
export function compileTarget({ url, params }: Request, scope: Scope): MakeTarget {
  const path = compilePath(url, scope);
  const pairs = Object.entries(params ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) =>
      [name, compileTemplate(asText(item), scope)] as const
    )
  );
  if (pairs.length === 0) return path;
  if (typeof path !== "function" && pairs.every(([, value]) => typeof value === "string")) {
    return { ...path, target: addParams(path.target, pairs as [string, string][]) };
  }
  return (vu) => {
    const { origin, target, authorization } = typeof path === "function" ? path(vu) : path;
    return {
      origin,
      authorization,
      target: addParams(target, pairs.map(([name, value]) => [name, render(value, vu)])),
    };
  };
}

function compilePath(template: string, scope: Scope): MakeTarget {
  const base = scope.http.base_url;
  const baseUrl = base === undefined ? undefined : compileTemplate(base, scope);
  const pieces = compilePieces(template, scope);
  const url = joined(pieces);
  if (typeof baseUrl !== "function") {
    if (typeof url === "string") return resolveNow(url, baseUrl, scope);
    const fixed = fixedOrigin(pieces, baseUrl, scope);
    if (fixed) return fixed;
  }
  return (vu) => {
    try {
      const base = baseUrl === undefined ? undefined : render(baseUrl, vu);
      const target = resolveUrl(render(url, vu), base);
      scope.origins.add(target.origin);
      return target;
    } catch (error) {
      if (error instanceof UrlError) throw new TemplateFault(error.message);
      throw error;
    }
  };
}

/**
 * Compiles a URL whose origin is constant, as in most plans. The origin is resolved once, and each
 * request renders only the path and query. Returns undefined if the origin may vary.
 */
function fixedOrigin(
  [first, ...rest]: readonly Render[],
  base: string | undefined,
  scope: Scope,
): MakeTarget | undefined {
  if (typeof first !== "string") return undefined;
  const [start] = /^https?:\/\/[^/?#]+(?=[/?#])/i.exec(first) ?? [];
  if (start === undefined && !first.startsWith("/")) return undefined;
  const { origin, target, authorization } = resolveNow(start ?? "/", base, scope);
  const folder = start === undefined ? target.slice(0, -1) : "";
  const path = joined([folder + first.slice(start?.length ?? 0), ...rest]);
  return (vu: Vu): UrlTarget => ({
    origin,
    authorization,
    target: encodeTarget(render(path, vu)),
  });
}

function resolveNow(
  url: string,
  base: string | undefined,
  { constants, origins }: Scope,
): UrlTarget {
  try {
    const target = resolveUrl(url, base);
    origins.add(target.origin);
    return target;
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new InputError(constants.hide(error.message), { source: "the plan" }, { cause: error });
  }
}
