import type { Random } from "./random.ts";
import type { Browser } from "./browser.ts";

/** A web application that runs in memory, and a session in which one user uses it. */
export interface ModelApp {
  /** File name of the application's recording, without extension. */
  readonly name: string;
  /** `name/version` of the program in the HAR's `creator` object. */
  readonly creator: string;
  readonly origin: string;
  /**
   * Creates a server with an empty session store. `fresh` generates everything that differs between
   * two servers: tokens, ids and the first numbers of sequential ids.
   */
  readonly serve: (fresh: Fresh) => Handler;
  /**
   * Performs the session. `client` generates the values that the browser or the user creates. These
   * values are the same for every server.
   */
  readonly use: (browser: Browser, client: Random) => void;
}

/** Source of the values that a server generates. */
export interface Fresh extends Random {
  /** The server's time in Unix milliseconds. Advances with each request. */
  readonly now: () => number;
}

/** Responds to a request. */
export type Handler = (request: Received) => Reply;

/** A request as a server receives it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
  readonly form: URLSearchParams;
  // deno-lint-ignore no-explicit-any -- the shape depends on the application
  readonly json: any;
  readonly text: string;
}

/** A response as a server sends it. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
  readonly type?: string;
  readonly body?: string;
}

/** Returns an HTML page with the given content of its `body` and `head` elements. */
export function page(body: string, head = ""): Reply {
  return {
    type: "text/html; charset=utf-8",
    body: `<!DOCTYPE html>\n<html><head>${head}</head>\n<body>\n${body}\n</body></html>\n`,
  };
}

/** Returns a JSON response. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return { status, headers, type: "application/json", body: JSON.stringify(value) };
}

/** Returns a redirect to `location`, which may be relative to the request's URL. */
export function redirect(location: string, status = 302): Reply {
  return { status, headers: { Location: location } };
}

/** Escapes text for HTML, in text and in attribute values. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** Handlers keyed by `METHOD /path/:parameter`. */
export type Routes = Readonly<
  Record<string, (request: Received, parameters: Readonly<Record<string, string>>) => Reply>
>;

/**
 * Returns a handler that calls the first route whose method and path match. Throws Error if no
 * route matches, because a session never requests a page that does not exist.
 */
export function route(routes: Routes): Handler {
  const all = Object.entries(routes).map(([key, handle]) => {
    const [method, path] = key.split(" ");
    const pattern = path.replace(/[.*+?^$()[\]|\\]/g, "\\$&").replace(/:(\w+)/g, "(?<$1>[^/]+)");
    return { method, pattern: new RegExp(`^${pattern}$`), handle };
  });
  return (request) => {
    for (const { method, pattern, handle } of all) {
      const match = method === request.method ? pattern.exec(request.path) : null;
      if (match) return handle(request, match.groups ?? {});
    }
    throw new Error(`no route for ${request.method} ${request.path}`);
  };
}

/** Throws Error unless `actual`, a value that a request contains, equals `expected`. */
export function expectSent(actual: string | null | undefined, expected: string): void {
  if (actual !== expected) throw new Error(`expected ${expected}, received ${actual}`);
}
