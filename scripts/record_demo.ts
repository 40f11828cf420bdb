/**
 * Records a session in the demo shop, as a browser's developer tools would. The session uses either
 * the JSON API or the pages and forms:
 *
 *     deno run --allow-net=127.0.0.1 scripts/record_demo.ts api > testdata/har/demo_shop.har
 *     deno run --allow-net=127.0.0.1 scripts/record_demo.ts forms > testdata/har/demo_shop_forms.har
 *
 * The recording contains the default origin of `rehearse demo`, regardless of the port used while
 * recording.
 */
import { startDemo } from "../src/demo/server.ts";
import { PASSWORD } from "../src/demo/shop/shop.ts";

const RECORDED_AT = "http://127.0.0.1:8080";

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
}

const server = startDemo();
const cookies = new Map<string, string>();
const entries: unknown[] = [];
let redirectedTo = "";
try {
  await (Deno.args[0] === "forms" ? formsSession() : apiSession());
} finally {
  await server.stop();
}
const creator = { name: "rehearse record_demo", version: "1" };
const har = { log: { version: "1.2", creator, pages: [], entries } };
console.log(JSON.stringify(har, null, 2).replaceAll(server.origin, RECORDED_AT));

/** Browses, signs in, searches, fills a cart, orders and signs out. */
async function apiSession(): Promise<void> {
  await visit("/");
  for (const asset of ["shop.css", "shop.js", "logo.png"]) await visit(`/assets/${asset}`);
  let bearer: Record<string, string> = {};
  let { csrfToken } = await api("/api/session");
  const login = await change("/api/login", { username: "ada", password: PASSWORD });
  bearer = { authorization: `Bearer ${login.token}` };
  await api("/api/profile", { headers: bearer });
  await visit("/deals");
  await visit("/products?q=mug");
  const found = await api("/api/search?q=mug");
  const more = await api(`/api/search?q=mug&cursor=${found.nextCursor}`);
  const product = await api(`/api/products/${more.items[1].id}`);
  const { cart } = await change("/api/carts", {});
  await change(`/api/carts/${cart.id}/items`, { productId: product.id, quantity: 2 });
  await api(`/api/carts/${cart.id}`, { headers: bearer });
  const fresh = await api("/api/refresh", { json: { refreshToken: login.refreshToken } });
  bearer = { authorization: `Bearer ${fresh.token}` };
  const { order } = await change("/api/orders", { cartId: cart.id });
  await api(`/api/orders/${order.id}`, { headers: bearer });
  await visit("/logout", { form: { csrf_token: csrfToken } });
  await visit("/");

  async function change(path: string, json: unknown) {
    const headers = { ...bearer, "x-csrf-token": csrfToken };
    const response = await api(path, { headers, json });
    csrfToken = response.csrfToken;
    return response;
  }
}

/** Signs in with a form, adds a product to the cart, and signs in again through OAuth redirects. */
async function formsSession(): Promise<void> {
  const inPage = (page: string) => /name="csrf_token" value="(\w+)"/.exec(page)![1];
  const login = { csrf_token: inPage(await visit("/login")), username: "ada", password: PASSWORD };
  await visit("/login", { form: login });
  await visit("/account");
  const { items } = await api("/api/products");
  const page = await visit(`/products/${items[3].id}`);
  const item = { csrf_token: inPage(page), product_id: String(items[3].id), quantity: "2" };
  await visit("/cart", { form: item });
  await visit("/cart");
  for (let at = "/oauth/authorize"; at !== ""; at = redirectedTo) await visit(at);
}

async function api(path: string, sent: Sent = {}) {
  return JSON.parse(await visit(path, sent));
}

/** Sends a request, adds it as a HAR entry, and returns the text of the response. */
async function visit(path: string, { headers = {}, json, form, method }: Sent = {}) {
  const text = json ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
  const request = {
    method: method ?? (text === undefined ? "GET" : "POST"),
    headers: {
      "user-agent": "Mozilla/5.0 (demo)",
      accept: path.startsWith("/api/") ? "application/json" : "*/*",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") }),
      ...headers,
    } as Record<string, string>,
  };
  const url = server.origin + path;
  const started = performance.timeOrigin + performance.now();
  const response = await fetch(url, { ...request, body: text, redirect: "manual" });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const time = performance.timeOrigin + performance.now() - started;
  if (response.status >= 400) throw new Error(`${request.method} ${path}: ${response.status}`);
  for (const line of response.headers.getSetCookie()) keep(line);
  redirectedTo = response.headers.get("location") ?? "";
  entries.push({
    startedDateTime: new Date(started).toISOString(),
    time,
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
      redirectURL: redirectedTo,
      bodySize: bytes.length,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  });
  return new TextDecoder().decode(bytes);
}

function keep(setCookie: string): void {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(setCookie)!;
  cookies.set(name, value);
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
