/**
 * Records a session in the demo shop, as a browser's developer tools would. The session uses either
 * the JSON API or the pages and forms:
 *
 *     deno run scripts/record_demo.ts api > src/demo/sample/session.har
 *     deno run scripts/record_demo.ts forms > testdata/har/demo_shop_forms.har
 *
 * The recording contains the default origin of `rehearse demo`, and times of a virtual clock.
 */
import { createDemo } from "../src/demo/server.ts";
import { PASSWORD } from "../src/demo/shop.ts";

const ORIGIN = "http://127.0.0.1:8080";
/** Duration of each recorded call, in milliseconds. */
const CALL_MS = 20;
/** Recorded pause before each page, in milliseconds. */
const PAUSE_MS = 2_000;

/** Properties of a request that a `SessionRecorder` sends and records. */
interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
}

/** Sends the requests of a session, and records them as the entries of a HAR. */
class SessionRecorder {
  /** Recorded calls, as entries of a HAR. */
  readonly entries: unknown[] = [];
  /** Target of the redirect in the last response; empty if the response was not a redirect. */
  redirectedTo = "";
  /** Current time in Unix milliseconds. */
  #now = Date.UTC(2026, 10, 21, 20);
  readonly #shop = createDemo({}, new AbortController().signal);
  readonly #cookies = new Map<string, string>();

  /** Returns the recording as the text of a HAR file. */
  toHar(): string {
    const creator = { name: "rehearse record_demo", version: "1" };
    const har = { log: { version: "1.2", creator, pages: [], entries: this.entries } };
    return JSON.stringify(har, null, 2);
  }

  /** Waits as long as a user who reads a page. */
  pause(): void {
    this.#now += PAUSE_MS;
  }

  /** Sends a request to the JSON API and returns the parsed response. */
  // deno-lint-ignore no-explicit-any -- each response has its own members
  async api(path: string, sent: Sent = {}): Promise<any> {
    return JSON.parse(await this.visit(path, sent));
  }

  /**
   * Sends a request, records it, and returns the text of the response. Throws an Error if the
   * request fails.
   */
  async visit(path: string, { headers = {}, json, form, method }: Sent = {}): Promise<string> {
    const text = json ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
    const cookies = [...this.#cookies].map((pair) => pair.join("=")).join("; ");
    const request = {
      method: method ?? (text === undefined ? "GET" : "POST"),
      headers: {
        "user-agent": "Mozilla/5.0 (demo)",
        accept: path.startsWith("/api/") ? "application/json" : "*/*",
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...(cookies !== "" && { cookie: cookies }),
        ...headers,
      } as Record<string, string>,
    };
    const url = ORIGIN + path;
    const response = await this.#shop.handle(new Request(url, { ...request, body: text }));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const startedDateTime = new Date(this.#now).toISOString();
    this.#now += CALL_MS;
    if (response.status >= 400) throw new Error(`${request.method} ${path}: ${response.status}`);
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    this.redirectedTo = response.headers.get("location") ?? "";
    this.entries.push({
      startedDateTime,
      time: CALL_MS,
      request: {
        ...recorded(request.headers),
        method: request.method,
        url,
        ...(text !== undefined && { postData: postData(request.headers["content-type"], text) }),
        queryString: fields(new URL(url).searchParams),
        bodySize: text?.length ?? 0,
      },
      response: {
        ...recorded(response.headers),
        status: response.status,
        statusText: response.statusText,
        content: content(response.headers.get("content-type") ?? "", bytes),
        redirectURL: this.redirectedTo,
        bodySize: bytes.length,
      },
      cache: {},
      timings: { send: 0, wait: CALL_MS, receive: 0 },
    });
    return new TextDecoder().decode(bytes);
  }

  #keep(setCookie: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(setCookie)!;
    this.#cookies.set(name, value);
  }
}

function recorded(headers: HeadersInit) {
  return {
    httpVersion: "HTTP/1.1",
    headers: fields(new Headers(headers)),
    cookies: [],
    headersSize: -1,
  };
}

function fields(pairs: Iterable<[string, string]>) {
  return [...pairs].map(([name, value]) => ({ name, value }));
}

function postData(mimeType: string, text: string) {
  if (mimeType === "application/json") return { mimeType, text };
  return { mimeType, text, params: fields(new URLSearchParams(text)) };
}

function content(mimeType: string, bytes: Uint8Array) {
  if (!mimeType.startsWith("image/")) {
    return { size: bytes.length, mimeType, text: new TextDecoder().decode(bytes) };
  }
  return { size: bytes.length, mimeType, text: bytes.toBase64(), encoding: "base64" };
}

const recorder = new SessionRecorder();
await (Deno.args[0] === "forms" ? formsSession() : apiSession());
console.log(recorder.toHar());

/** Browses the demo shop, signs in, searches, fills a cart, places an order and signs out. */
async function apiSession(): Promise<void> {
  await recorder.visit("/");
  for (const asset of ["shop.css", "shop.js", "logo.png"]) await recorder.visit(`/assets/${asset}`);
  recorder.pause();
  let bearer: Record<string, string> = {};
  let { csrfToken } = await recorder.api("/api/session");
  const login = await change("/api/login", { username: "ada", password: PASSWORD });
  bearer = { authorization: `Bearer ${login.token}` };
  await recorder.api("/api/profile", { headers: bearer });
  recorder.pause();
  await recorder.visit("/deals");
  await recorder.visit("/products?q=mug");
  recorder.pause();
  const found = await recorder.api("/api/search?q=mug");
  const more = await recorder.api(`/api/search?q=mug&cursor=${found.nextCursor}`);
  recorder.pause();
  const product = await recorder.api(`/api/products/${more.items[1].id}`);
  const { cart } = await change("/api/carts", {});
  await change(`/api/carts/${cart.id}/items`, { productId: product.id, quantity: 2 });
  recorder.pause();
  await recorder.api(`/api/carts/${cart.id}`, { headers: bearer });
  const fresh = await recorder.api("/api/refresh", { json: { refreshToken: login.refreshToken } });
  bearer = { authorization: `Bearer ${fresh.token}` };
  recorder.pause();
  const { order } = await change("/api/orders", { cartId: cart.id });
  await recorder.api(`/api/orders/${order.id}`, { headers: bearer });
  await recorder.visit("/logout", { form: { csrf_token: csrfToken } });
  await recorder.visit("/");

  async function change(path: string, json: unknown) {
    const headers = { ...bearer, "x-csrf-token": csrfToken };
    const response = await recorder.api(path, { headers, json });
    csrfToken = response.csrfToken;
    return response;
  }
}

/** Signs in with a form, adds a product to the cart, and signs in again through OAuth redirects. */
async function formsSession(): Promise<void> {
  const inPage = (page: string) => /name="csrf_token" value="(\w+)"/.exec(page)![1];
  const login = {
    csrf_token: inPage(await recorder.visit("/login")),
    username: "ada",
    password: PASSWORD,
  };
  await recorder.visit("/login", { form: login });
  await recorder.visit("/account");
  const { items } = await recorder.api("/api/products");
  const page = await recorder.visit(`/products/${items[3].id}`);
  const item = { csrf_token: inPage(page), product_id: String(items[3].id), quantity: "2" };
  await recorder.visit("/cart", { form: item });
  await recorder.visit("/cart");
  for (let at = "/oauth/authorize"; at !== ""; at = recorder.redirectedTo) await recorder.visit(at);
}
