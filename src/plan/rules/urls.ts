import { literalText } from "../text/template.ts";
import type { CheckContext } from "./check_context.ts";
import { checkTemplate } from "./templates.ts";

const HTTP = /^https?:\/\//i;
const SOCKET = /^(?:ws|http)s?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

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
