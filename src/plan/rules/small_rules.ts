import { compile as compileCss } from "css-select";
import { compile as compileJsonPath } from "json-p3";
import xpath from "xpath";
import { isMap } from "../../base/exact_number.ts";
import { literalText } from "../text/template.ts";
import type { CheckContext } from "./check_context.ts";
import type { DiagnosticCode } from "./diagnostic.ts";
import { checkTemplate } from "./templates.ts";

/**
 * Matches JSONPath expressions that consist only of names and indexes, such as `$.items[0].id`.
 * They are always valid, and most paths in a plan have this form.
 */
const SINGULAR = /^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[(?:0|[1-9]\d{0,8})\])*$/;

/** Reports a JSONPath expression that is invalid according to RFC 9535. */
export function checkJsonPath(context: CheckContext, path: string): void {
  if (SINGULAR.test(path)) return;
  try {
    compileJsonPath(path);
  } catch (error) {
    const { message, token } = error as Error & { token?: { index: number } };
    // The diagnostic shows the path and the position, so remove them from the message.
    const reason = message.replace(/ \('[^]*$/, "");
    context.report("bad-jsonpath", `not a JSONPath: ${reason}`, { within: token?.index });
  }
}

/** Reports an invalid CSS selector. */
export function checkCss(context: CheckContext, selector: string): void {
  if (selector.trim() === "") {
    context.report("bad-css", "not a CSS selector: the selector is empty");
  } else reportFault(context, "bad-css", "not a CSS selector", () => compileCss(selector));
}

// The package exports the parser, but its types omit it.
const { parse } = xpath as unknown as { parse(expression: string): unknown };

/** Reports an invalid XPath expression. */
export function checkXPath(context: CheckContext, expression: string): void {
  reportFault(context, "bad-xpath", "not an XPath expression", () => parse(expression));
}

function reportFault(
  context: CheckContext,
  code: DiagnosticCode,
  what: string,
  compile: () => unknown,
): void {
  try {
    compile();
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, " ").trim();
    context.report(code, `${what}: ${reason}`);
  }
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** Reports text that is not Base64. Checks the characters, the padding and the length. */
export function checkBase64(context: CheckContext, text: string): void {
  if (!BASE64.test(text) || text.replace(/[\s=]/g, "").length % 4 === 1) {
    context.report("bad-base64", "not Base64: expected A-Z, a-z, 0-9, + and /, padded with =");
  }
}

/** Headers that the client adds, in lower case. A request with a body also has a `Content-Type`. */
const OF_CLIENT = ["user-agent", "accept-encoding", "content-type"];

/** Headers that only the client writes, in lower case, each with what to do instead. */
const FRAMING: ReadonlyMap<string, string> = new Map([
  [
    "connection",
    "remove the line; to close each connection, set `keep_alive: false` in `defaults.http`",
  ],
  ["content-length", "remove the line; the client sends the length of the body"],
  ["transfer-encoding", "remove the line; the client sends the length of the body"],
]);

/**
 * Reports headers of a request that only the client writes. Also warns about a null header if
 * neither the client nor `defaults.http.headers` adds that header. Null removes an inherited
 * header, so it has no effect on a header that is not inherited. The value was probably forgotten,
 * because an empty value in YAML is null.
 */
export function checkRequestHeaders(context: CheckContext, headers: object): void {
  const inherited = () => [...OF_CLIENT, ...defaultHeaders(context.plan)];
  checkHeaders(context, headers, inherited, "`defaults.http.headers` does not contain this header");
}

/**
 * Reports default headers that only the client writes. Also warns about a null default header if
 * the client does not add that header itself.
 */
export function checkDefaultHeaders(context: CheckContext, headers: object): void {
  checkHeaders(context, headers, () => OF_CLIENT, "the client does not add this header");
}

function checkHeaders(
  context: CheckContext,
  headers: object,
  inherited: () => readonly string[],
  reason: string,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const hint = FRAMING.get(name.toLowerCase());
    if (value !== null && hint !== undefined) {
      const message = `the client writes the header ${JSON.stringify(name)} itself`;
      context.report("reserved-name", message, { below: [name], hint });
    }
    if (value !== null || inherited().includes(name.toLowerCase())) continue;
    const message = `null removes the header ${JSON.stringify(name)}, but ${reason}`;
    context.report("no-effect", message, {
      below: [name],
      hint: 'remove the line, or write the value ("" if it is empty)',
      severity: "warning",
    });
  }
}

function defaultHeaders(plan: unknown): string[] {
  const at = (value: unknown, key: string) =>
    isMap(value) ? (value as Record<string, unknown>)[key] : undefined;
  const headers = at(at(at(plan, "defaults"), "http"), "headers");
  return isMap(headers) ? Object.keys(headers).map((name) => name.toLowerCase()) : [];
}

const HTTP = /^https?:\/\//i;
const SOCKET = /^(?:ws|http)s?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Reports an error if a file that the plan refers to does not exist. */
export function checkFile(context: CheckContext, path: string): void {
  if (context.files && !context.files.exists(path)) {
    const message = `no such file: ${JSON.stringify(path)}`;
    context.report("missing-file", message, { hint: "paths are relative to the plan" });
  }
}

/**
 * Checks that the URL of a request is relative or is an `http` or `https` URL. Counts relative
 * URLs.
 */
export function checkUrl(context: CheckContext, url: string): void {
  checkSchemes(context, url, HTTP, "http or https");
}

/**
 * Checks that the URL of a WebSocket is relative or has a suitable scheme. Counts relative URLs.
 */
export function checkSocketUrl(context: CheckContext, url: string): void {
  checkSchemes(context, url, SOCKET, "ws, wss, http or https");
}

function checkSchemes(context: CheckContext, url: string, known: RegExp, names: string): void {
  checkTemplate(context, url);
  if (SCHEME.test(url) && !known.test(url)) {
    const article = known === HTTP ? "an" : "a";
    context.report("bad-url", `expected ${article} ${names} URL, or one relative to \`base_url\``);
  }
  checkAddress(context, url);
  if (!SCHEME.test(url) && !url.startsWith("${")) context.relativeUrls++;
}

/** Checks that the base URL is an `http` or `https` URL, or starts with an expression. */
export function checkBaseUrl(context: CheckContext, url: string): void {
  checkTemplate(context, url);
  if (!HTTP.test(url) && !url.startsWith("${")) {
    context.report("bad-url", "expected a URL that starts with `http://` or `https://`");
  }
  checkAddress(context, url);
}

/** Checks the URL of a proxy. */
export function checkProxy(context: CheckContext, url: string): void {
  if (url.includes("${")) {
    context.report("bad-url", "the URL of a proxy cannot contain `${…}`", {
      hint: "remove `proxy`, and set the environment variables `HTTP_PROXY` and `HTTPS_PROXY`",
    });
    return;
  }
  if (URL.parse(url)?.protocol === "http:") return;
  context.report("bad-url", "expected the URL of an HTTP proxy, such as `http://proxy:3128`");
}

/** Checks an address in `hosts`: the path of a Unix socket must not be empty. */
export function checkHostAddress(context: CheckContext, address: string): void {
  if (address !== "unix:") return;
  context.report("bad-value", "the path of the Unix socket is empty", {
    hint: "expected `unix:PATH`, such as `unix:/run/app.sock`",
  });
}

/** Checks the host, port and user information of an absolute URL, unless they contain `${…}`. */
function checkAddress(context: CheckContext, url: string): void {
  const [start] = /^(?:ws|http)s?:\/\/[^/?#]*/i.exec(url) ?? [];
  const text = start && literalText(start);
  if (text === undefined || URL.canParse(text)) return;
  context.report("bad-url", "the URL has an invalid host or port", {
    hint: "percent-encode `/`, `?` and `#` in a user name or password",
  });
}
