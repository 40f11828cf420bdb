import { checkTemplate } from "./templates.ts";
import type { CheckContext } from "./check_context.ts";

const HTTP = /^https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** A file that the plan names. */
export function checkFile(walk: CheckContext, path: string): void {
  if (walk.files && !walk.files.exists(path)) {
    const message = `no such file: ${JSON.stringify(path)}`;
    walk.report("missing-file", message, { hint: "paths are relative to the plan" });
  }
}

/** The URL of a request: absolute over HTTP, or relative to the base URL. */
export function checkUrl(walk: CheckContext, url: string): void {
  checkTemplate(walk, url);
  if (SCHEME.test(url) && !HTTP.test(url)) {
    walk.report("bad-url", "expected a URL of http or https, or one relative to base_url");
  }
  checkAddress(walk, url);
  if (!SCHEME.test(url) && !url.startsWith("${")) walk.relativeUrls++;
}

/** What relative URLs are relative to. */
export function checkBaseUrl(walk: CheckContext, url: string): void {
  checkTemplate(walk, url);
  if (!HTTP.test(url) && !url.startsWith("${")) {
    walk.report("bad-url", "expected a URL that starts with http:// or https://");
  }
  checkAddress(walk, url);
}

/** Host, port and user of a URL, if no `${…}` is in them: `run` could send nothing to a wrong one. */
function checkAddress(walk: CheckContext, url: string): void {
  const [start] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
  if (start === undefined || start.includes("${") || URL.canParse(start)) return;
  const message = "the host or the port of the URL is not valid; percent-encode `/`, `?` and `#` " +
    "in a user name or password";
  walk.report("bad-url", message);
}
