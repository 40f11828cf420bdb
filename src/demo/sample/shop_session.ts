import { createDemo } from "../server.ts";
import { PASSWORD } from "../shop/shop.ts";
import { SessionRecorder } from "./session_recorder.ts";

/** Time of the first sample request, in Unix milliseconds. */
export const SAMPLE_START: number = Date.UTC(2026, 10, 21, 20);
/** Duration of each recorded call, in milliseconds. */
const CALL_MS = 20;
/** Recorded pause before each page, in milliseconds. */
const PAUSE_MS = 2_000;

/**
 * Records a session in a new demo shop and returns it as the text of a HAR file. `origin` is the
 * recorded origin. Does not use the network.
 */
export async function sampleHar(origin: string): Promise<string> {
  const { handle } = createDemo({}, new AbortController().signal);
  let now = SAMPLE_START;
  const recorder = new SessionRecorder({
    origin,
    now: () => now,
    async send(request) {
      const response = await handle(request);
      now += CALL_MS;
      return response;
    },
  });
  await recordApiSession(recorder, () => now += PAUSE_MS);
  return recorder.toHar(origin);
}

/**
 * Browses the demo shop, signs in, searches, fills a cart, places an order and signs out. `pause`
 * is called where a user would read a page.
 */
export async function recordApiSession(
  recorder: SessionRecorder,
  pause: () => void,
): Promise<void> {
  await recorder.visit("/");
  for (const asset of ["shop.css", "shop.js", "logo.png"]) await recorder.visit(`/assets/${asset}`);
  pause();
  let bearer: Record<string, string> = {};
  let { csrfToken } = await recorder.api("/api/session");
  const login = await change("/api/login", { username: "ada", password: PASSWORD });
  bearer = { authorization: `Bearer ${login.token}` };
  await recorder.api("/api/profile", { headers: bearer });
  pause();
  await recorder.visit("/deals");
  await recorder.visit("/products?q=mug");
  pause();
  const found = await recorder.api("/api/search?q=mug");
  const more = await recorder.api(`/api/search?q=mug&cursor=${found.nextCursor}`);
  pause();
  const product = await recorder.api(`/api/products/${more.items[1].id}`);
  const { cart } = await change("/api/carts", {});
  await change(`/api/carts/${cart.id}/items`, { productId: product.id, quantity: 2 });
  pause();
  await recorder.api(`/api/carts/${cart.id}`, { headers: bearer });
  const fresh = await recorder.api("/api/refresh", { json: { refreshToken: login.refreshToken } });
  bearer = { authorization: `Bearer ${fresh.token}` };
  pause();
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
