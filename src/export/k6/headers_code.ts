import type { FlowScope } from "./flow_scope.ts";
import { type Member, objectCode, stringLiteral } from "./javascript.ts";
import type { Js } from "./js_value.ts";
import { scalarTextCode } from "./template_code.ts";
import { ACCEPT_ENCODING } from "../../http/content.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { HttpDefaults } from "../../plan/schema/http_defaults.ts";
import { parseTemplate } from "../../plan/text/template.ts";

/** Headers that the client writes itself. A plan cannot set them. */
const FRAMING: ReadonlySet<string> = new Set(["connection", "content-length", "transfer-encoding"]);

/** JavaScript code for those headers of a request that differ from the defaults. */
export interface HeadersCode {
  /** Code for an object with the headers, or undefined if no header differs. */
  readonly code: string | undefined;
  readonly values: readonly Js[];
}

/** The headers in the exported script's constant `HEADERS`, which all requests share. */
export interface DefaultHeaders {
  /** Spelling of each header name in the script, keyed by the name in lower case. */
  readonly names: ReadonlyMap<string, string>;
  readonly members: readonly Member[];
}

type HeaderValue = NonNullable<HttpDefaults["headers"]>[string];

/** Returns the headers that all requests have in common. */
export function defaultHeaders(scope: FlowScope): DefaultHeaders {
  const { headers = {}, compression = true } = scope.http;
  const names = new Map<string, string>();
  const members: Member[] = [];
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  if (compression && !given.has("accept-encoding")) {
    names.set("accept-encoding", "Accept-Encoding");
    members.push(["Accept-Encoding", stringLiteral(ACCEPT_ENCODING)]);
  }
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (value === null || FRAMING.has(lower) || !isConstant(value)) continue;
    names.set(lower, name);
    members.push([name, scalarTextCode(value, scope).code]);
  }
  return { names, members };
}

/** Reports whether a header has the same value for all VUs and iterations. */
function isConstant(value: HeaderValue): boolean {
  return typeof value !== "string" ||
    parseTemplate(value).every(({ kind }) => ["text", "env", "vars", "secrets"].includes(kind));
}

/**
 * Returns the code for those headers of a request that differ from the defaults. A header whose
 * value is null is not sent. `contentType` is the code for the default content type of the request
 * body.
 */
export function headersCode(
  request: Request,
  contentType: string | undefined,
  defaults: DefaultHeaders,
  scope: FlowScope,
): HeadersCode {
  const { headers = {} } = scope.http;
  const own = new Map<string, Member>();
  const values: Js[] = [];
  const set = (name: string, code: string) => {
    const lower = name.toLowerCase();
    own.set(lower, [defaults.names.get(lower) ?? own.get(lower)?.[0] ?? name, code]);
  };
  const isPlanned = (name: string) =>
    [headers, request.headers ?? {}].some((map) =>
      Object.keys(map).some((key) => key.toLowerCase() === name)
    );
  if (request.sse) {
    if (!isPlanned("accept")) set("Accept", "'text/event-stream'");
    if (!isPlanned("accept-encoding") && defaults.names.has("accept-encoding")) {
      set("Accept-Encoding", "null");
    }
  }
  if (contentType !== undefined && !isPlanned("content-type")) set("Content-Type", contentType);
  const varying = Object.entries(headers).filter(([, value]) =>
    value !== null && !isConstant(value)
  );
  for (const [name, value] of [...varying, ...Object.entries(request.headers ?? {})]) {
    const lower = name.toLowerCase();
    if (FRAMING.has(lower)) continue;
    if (value !== null) set(name, valueCode(lower, value));
    else if (defaults.names.has(lower)) set(name, "null");
    else own.delete(lower);
  }
  const members = [...own.values()];
  return { code: members.length === 0 ? undefined : objectCode(members), values };

  /**
   * Returns the JavaScript code for the value of a header. `lower` is the name of the header in
   * lower case. If the value uses a variable that is not set, the script omits the header if it is
   * `Referer`, or shortens it to its scheme and host if it is an `Origin` in which these are
   * literal. Otherwise, the script does not send the request.
   */
  function valueCode(lower: string, value: Exclude<HeaderValue, null>): string {
    const js = scalarTextCode(value, scope);
    const isOptional = lower === "referer" || lower === "origin";
    if (!isOptional || js.needs.length === 0) {
      values.push(js);
      return js.code;
    }
    const origin = lower === "origin"
      ? /^https?:\/\/[^/?#]+(?=\/)/i.exec(String(value))?.[0]
      : undefined;
    if (lower === "origin" && (origin === undefined || origin.includes("${"))) {
      values.push(js);
      return js.code;
    }
    const otherwise = origin === undefined ? "null" : stringLiteral(origin);
    return `${scope.script.use("isSet")}(${js.needs.join(", ")}) ? ${js.code} : ${otherwise}`;
  }
}

/** Reports whether any of `maps` removes the header User-Agent. */
export function removesUserAgent(maps: readonly (HttpDefaults["headers"])[]): boolean {
  return maps.some((map) =>
    Object.entries(map ?? {}).some(([name, value]) =>
      name.toLowerCase() === "user-agent" && value === null
    )
  );
}
