import { InputError } from "../../base/errors.ts";
import { asText } from "../../base/exact_number.ts";
import { durationMs } from "../../base/format.ts";
import { ACCEPT_ENCODING } from "../../http/content.ts";
import type { Outgoing, ResponseNeeds } from "../../http/sender.ts";
import { addParams, encodeTarget, resolveUrl, UrlError, type UrlTarget } from "../../http/url.ts";
import { type Request, requestMethod } from "../../plan/kinds/request.ts";
import { recordedEntry } from "../../plan/kinds/list_requests.ts";
import { compilePieces, compileTemplate, joined } from "../flow/expressions.ts";
import type { Scope } from "../flow/scope.ts";
import { constant, constantValue, type Rendered, renderedFrom, varying } from "../flow/values.ts";
import { compileBody } from "../kinds/bodies.ts";
import { TemplateFault, UnsetVariable } from "../vu/flow_end.ts";

type Headers = Outgoing["headers"];

/** Compiles the request of a step. `needs` are the parts of the response to keep. */
export function compileOutgoing(
  request: Request,
  needs: ResponseNeeds,
  scope: Scope,
): Rendered<Outgoing> {
  const { content, contentType } = request.body === undefined
    ? { content: constant(undefined), contentType: undefined }
    : compileBody(request.body, scope);
  const headers = compileHeaders(request, contentType, scope);
  const target = compileTarget(request, scope);
  const method = requestMethod(request);
  const recorded = recordedEntry(request);
  const isDigest = (request.auth ?? scope.http.auth) === "digest";
  const timeoutMs = durationMs(request.timeout ?? scope.http.timeout ?? "30s") ?? 30_000;
  return renderedFrom([headers, target, content], (vu): Outgoing => {
    const to = target.render(vu);
    return {
      method,
      origin: to.origin,
      target: to.target,
      headers: authorize(headers.render(vu), isDigest ? undefined : to.authorization),
      body: content.render(vu),
      timeoutMs,
      needs,
      recorded,
      credentials: isDigest ? decodeBasic(to.authorization) : undefined,
    };
  });
}

/** Compiles the headers: those of the request before those of the plan. Null removes one. */
function compileHeaders(
  request: Request,
  contentType: string | undefined,
  scope: Scope,
): Rendered<Headers> {
  const { headers = {}, compression = true } = scope.http;
  const all = new Map<string, [name: string, value: HeaderValue]>();
  const add = (name: string, value: HeaderValue) => all.set(name.toLowerCase(), [name, value]);
  add("User-Agent", constant("rehearse"));
  if (request.sse) add("Accept", constant("text/event-stream"));
  else if (compression) add("Accept-Encoding", constant(ACCEPT_ENCODING));
  if (contentType !== undefined) add("Content-Type", constant(contentType));
  for (
    const [name, value] of [...Object.entries(headers), ...Object.entries(request.headers ?? {})]
  ) {
    if (value === null) all.delete(name.toLowerCase());
    else add(name, compileHeaderValue(name, compilePieces(asText(value), scope)));
  }
  const compiled = [...all.values()];
  return renderedFrom(
    compiled.map(([, value]) => value),
    (vu) => {
      const headers: [name: string, value: string][] = [];
      for (const [name, value] of compiled) {
        const text = value.render(vu);
        if (text !== undefined) headers.push([name, text]);
      }
      return headers;
    },
  );
}

/** Adds the credentials of the URL, unless the plan sets an Authorization header. */
function authorize(headers: Headers, authorization: string | undefined): Headers {
  if (authorization === undefined) return headers;
  if (headers.some(([name]) => name.toLowerCase() === "authorization")) return headers;
  return [...headers, ["Authorization", authorization]];
}

function decodeBasic(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const bytes = Uint8Array.fromBase64(authorization.slice("Basic ".length));
  return new TextDecoder().decode(bytes);
}

/** Compiles the URL and its parameters. An invalid URL throws InputError or TemplateFault. */
function compileTarget({ url, params }: Request, scope: Scope): Rendered<UrlTarget> {
  const path = compilePath(url, scope);
  const pairs = Object.entries(params ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) =>
      [name, compileTemplate(asText(item), scope)] as const
    )
  );
  if (pairs.length === 0) return path;
  return renderedFrom([path, ...pairs.map(([, value]) => value)], (vu) => {
    const { origin, target, authorization } = path.render(vu);
    return {
      origin,
      authorization,
      target: addParams(target, pairs.map(([name, value]) => [name, value.render(vu)])),
    };
  });
}

type ShownUrl = Parameters<typeof resolveUrl>[2];

function httpUrl(url: string): string {
  return url.replace(/^ws(?=s?:\/\/)/i, "http");
}

function compilePath(template: string, scope: Scope): Rendered<UrlTarget> {
  const base = scope.http.base_url === undefined
    ? constant(undefined)
    : compileTemplate(scope.http.base_url, scope);
  const pieces = compilePieces(httpUrl(template), scope);
  const url = joined(pieces);
  const shown = { url: template, base: scope.http.base_url };
  if (base.constant) {
    const baseUrl = constantValue(base);
    const fixed = constantValue(url);
    if (fixed !== undefined) return constant(resolveNow(fixed, baseUrl, shown, scope));
    const path = compileAtOrigin(pieces, baseUrl, shown, scope);
    if (path) return path;
  }
  return varying((vu) => {
    try {
      const baseUrl = base.render(vu);
      const target = resolveUrl(httpUrl(url.render(vu)), baseUrl, shown);
      scope.origins.add(target.origin);
      return target;
    } catch (error) {
      if (error instanceof UrlError) throw new TemplateFault(error.message);
      throw error;
    }
  });
}

/** Compiles a URL with a constant origin, if it has one, for which only the path is rendered. */
function compileAtOrigin(
  [first, ...rest]: readonly Rendered<string>[],
  base: string | undefined,
  shown: ShownUrl,
  scope: Scope,
): Rendered<UrlTarget> | undefined {
  const text = constantValue(first);
  if (text === undefined) return undefined;
  const [start] = /^https?:\/\/[^/?#]+(?=[/?#])/i.exec(text) ?? [];
  if (start === undefined && !text.startsWith("/")) return undefined;
  const { origin, target, authorization } = resolveNow(start ?? "/", base, shown, scope);
  const folder = start === undefined ? target.slice(0, -1) : "";
  const path = joined([constant(folder + text.slice(start?.length ?? 0)), ...rest]);
  return varying((vu) => ({ origin, authorization, target: encodeTarget(path.render(vu)) }));
}

function resolveNow(
  url: string,
  base: string | undefined,
  shown: ShownUrl,
  { constants, origins }: Scope,
): UrlTarget {
  try {
    const target = resolveUrl(url, base, shown);
    origins.add(target.origin);
    return target;
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new InputError(constants.hide(error.message), { source: "the plan" }, { cause: error });
  }
}

/**
 * Headers that most servers do not require, by lower-case name. Each function returns the value to
 * send if a variable in the header is not set. Undefined means that a `Referer` is omitted, and
 * that a request with this `Origin` is not sent. `pieces` are the pieces of the header's value.
 */
const SUBSTITUTES: Readonly<
  Record<string, (pieces: readonly Rendered<string>[]) => string | undefined>
> = {
  referer: () => undefined,
  origin: ([first]) => /^https?:\/\/[^/?#]+(?=\/)/i.exec(constantValue(first) ?? "")?.[0],
};

type HeaderValue = Rendered<string | undefined>;

/**
 * Compiles the value of a header from its pieces. If a variable in a `Referer` is not set, the
 * header is omitted. If a variable in the path of an `Origin` is not set, only the origin is sent.
 * In both cases, the VU counts an omitted header. In other headers, an unset variable throws a
 * TemplateFault.
 */
function compileHeaderValue(
  name: string,
  pieces: readonly Rendered<string>[],
): HeaderValue {
  const value = joined(pieces);
  const key = name.toLowerCase();
  if (value.constant || !Object.hasOwn(SUBSTITUTES, key)) return value;
  const substitute = SUBSTITUTES[key](pieces);
  if (key === "origin" && substitute === undefined) return value;
  return varying((vu) => {
    try {
      return value.render(vu);
    } catch (error) {
      if (!(error instanceof UnsetVariable)) throw error;
      vu.omitHeader();
      return substitute;
    }
  });
}
