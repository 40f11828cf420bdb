import { decodePercent } from "../base/string_escapes.ts";
import { allFlows, listConnections, listSteps, mapPlanSteps } from "./kinds/list_requests.ts";
import type { Step } from "./kinds/steps.ts";
import type { Plan } from "./schema/plan.ts";
import { formatExpression, literal, literalText, parseTemplate } from "./text/template.ts";
import { urlLogins, withoutUserInfo } from "./text/user_info.ts";

/** The origins to which a plan sends requests. */
export interface Targets {
  /**
   * Origins such as `https://shop.example:8443`, in the order of the plan, without default ports.
   * Expressions that can be evaluated only during the run remain as `${…}`.
   */
  readonly origins: readonly string[];
  /**
   * Name of the first request whose URL is relative, if the plan has no base URL. Otherwise
   * undefined.
   */
  readonly firstWithoutBase: string | undefined;
  /**
   * Returns the origin of a URL in the plan (a template), or undefined if the URL is relative and
   * the plan has no base URL.
   */
  readonly originOf: (url: string) => string | undefined;
}

/** Origins to which a plan sends requests. */
export function targets(plan: Plan, readEnv: (name: string) => string | undefined): Targets {
  const resolve = resolver(plan.variables ?? {}, readEnv);
  const base = plan.defaults?.http?.base_url;
  const originOf = (url: string) =>
    urlOrigin(resolve(url)) ?? (base ? urlOrigin(resolve(base)) : undefined);
  const origins = new Set<string>();
  let firstWithoutBase: string | undefined;
  for (const flow of allFlows(plan)) {
    for (const { url, name = withoutUserInfo(url) } of listConnections(flow)) {
      const origin = originOf(url);
      if (origin) origins.add(origin);
      else firstWithoutBase ??= name;
    }
  }
  return { origins: [...origins], firstWithoutBase, originOf };
}

function urlOrigin(url: string): string | undefined {
  const origin = /^((?:ws|http)s?:\/\/|\$\{)[^/?#]*/i.exec(withoutUserInfo(url))?.[0];
  // A WebSocket is opened over HTTP, at the same origin.
  const http = origin?.replace(/^ws/i, "http");
  // Expressions are evaluated only during the run.
  const text = http && literalText(http);
  return text === undefined ? http : URL.parse(text)?.origin ?? http;
}

/** Returns the value of the variable with this name, or undefined if it is unknown. */
type Lookup = (name: string) => string | undefined;

function resolver(variables: NonNullable<Plan["variables"]>, readEnv: Lookup) {
  const none: Lookup = () => undefined;
  const variable: Lookup = (name) =>
    Object.hasOwn(variables, name)
      ? fill(String(variables[name]), { env: readEnv, vars: none })
      : undefined;
  return (template: string) => fill(template, { env: readEnv, vars: variable });
}

function fill(template: string, known: Readonly<Record<"env" | "vars", Lookup>>): string {
  return parseTemplate(template).map((part) => {
    if (part.kind === "text") return literal(part.text);
    const env = part.kind === "env" ? known.env(part.name) || part.default : undefined;
    if (env !== undefined) return literal(env);
    const value = part.kind === "vars" ? known.vars(part.name) : undefined;
    return value ?? formatExpression(part);
  }).join("");
}

/**
 * Percent-decoded, alone and as `user:password`, of all URLs in the plan. Without those with
 * expressions.
 */
export function urlPasswords(plan: Plan): string[] {
  const flows = allFlows(plan).flatMap((flow) => [...listConnections(flow)]);
  const { base_url = "", proxy } = plan.defaults?.http ?? {};
  const others = [...Object.values(plan.variables ?? {}), ...(plan.outputs ?? [])];
  const urls = [
    base_url,
    proxy || "",
    ...flows.map(({ url }) => url),
    ...others.flatMap((value) => typeof value === "object" ? Object.values(value) : [value]),
  ];
  return urls.flatMap((url) => typeof url === "string" ? urlLogins(url) : [])
    .flatMap(([user, password]) => {
      const secret = literalText(password);
      if (secret === undefined) return [];
      const [name, text] = [literalText(user) ?? user, secret]
        .map((part) => decodePercent(part) ?? part);
      return [text, `${name}:${text}`];
    });
}

/** Minimum length of header credentials that are hidden. Shorter ones often match other text. */
const SHORTEST_CREDENTIALS = 8;

/**
 * Returns the credentials in the `Authorization` and `Proxy-Authorization` headers of all requests,
 * WebSockets and outputs of a plan, without the authentication scheme. Omits credentials that
 * contain expressions or have fewer than 8 characters.
 */
export function headerCredentials(plan: Plan): string[] {
  const steps = allFlows(plan).flatMap((flow) => [...listSteps(flow)]);
  const senders: readonly { readonly headers?: Readonly<Record<string, unknown>> }[] = [
    plan.defaults?.http ?? {},
    ...steps.flatMap(({ request, websocket }) => [request ?? {}, websocket ?? {}]),
    ...(plan.outputs ?? []),
  ];
  return senders.flatMap(({ headers = {} }) => Object.entries(headers))
    .filter(([name]) => /^(?:proxy-)?authorization$/i.test(name))
    .map(([, value]) => literalText(String(value))?.replace(/^[\w-]+ +/, "") ?? "")
    .filter((value) => value.length >= SHORTEST_CREDENTIALS);
}

/** Matches the start of a base URL up to its path. A `${…}` may contain any characters. */
const UP_TO_PATH = /^(?:https?:\/\/)?(?:\$\{[^}]*\}|\$(?!\{)|[^$/?#])+/i;

/**
 * Prepares a plan for a new base URL (a template): replaces the origin of the plan's base URL in
 * its `Origin` and `Referer` headers, because servers compare them with their own origin. Keeps
 * other origins, and the headers of steps whose URL is absolute and has the old origin. Returns
 * `plan` itself if the origin of either base URL is unknown, or if both origins are equal.
 */
export function withMovedHeaders(plan: Plan, baseUrl: string): Plan {
  const { defaults } = plan;
  const from = originText(defaults?.http?.base_url ?? "");
  const to = originText(baseUrl);
  if (from === undefined || to === undefined || from === to) return plan;
  const http = defaults?.http;
  const moved = mapPlanSteps(plan, (step) => movedStep(step, from, to));
  if (http?.headers === undefined) return moved;
  const headers = movedHeaders(http.headers, from, to) as typeof http.headers;
  return { ...moved, defaults: { ...defaults, http: { ...http, headers } } };
}

/**
 * Such as `https://shop.example` or `${env.TARGET}`. Undefined if unknown, as with user information
 * and an expression before the path.
 */
function originText(baseUrl: string): string | undefined {
  const text = UP_TO_PATH.exec(baseUrl)?.[0] ?? "";
  if (text.includes("${")) return text.includes("@") ? undefined : text;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

function movedStep(step: Step, from: string, to: string): Step {
  const { request, websocket } = step;
  if (request) return { ...step, request: movedSender(request, from, to) };
  if (websocket) return { ...step, websocket: movedSender(websocket, from, to) };
  return step;
}

/**
 * Replaces the origin `from` with `to` in the `Origin` and `Referer` headers of a request or a
 * WebSocket. Keeps the headers if the URL of the request or WebSocket also has the origin `from`.
 */
function movedSender<Sender extends { readonly url: string; readonly headers?: object }>(
  sender: Sender,
  from: string,
  to: string,
): Sender {
  const { headers, url } = sender;
  if (headers === undefined || isAt(url.replace(/^ws(?=s?:)/i, "http"), from)) return sender;
  return { ...sender, headers: movedHeaders(headers, from, to) };
}

function movedHeaders(headers: object, from: string, to: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const isMoved = typeof value === "string" &&
        (/^origin$/i.test(name) ? value === from : /^referer$/i.test(name) && isAt(value, from));
      return [name, isMoved ? to + value.slice(from.length) : value];
    }),
  );
}

function isAt(url: string, origin: string): boolean {
  return url.startsWith(origin) && /^(?:[/?#]|$)/.test(url.slice(origin.length));
}
