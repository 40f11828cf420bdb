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
import { recordApiSession } from "../src/demo/sample/shop_session.ts";
import { SessionRecorder } from "../src/demo/sample/session_recorder.ts";
import { startDemo } from "../src/demo/server.ts";
import { PASSWORD } from "../src/demo/shop/shop.ts";

const RECORDED_AT = "http://127.0.0.1:8080";

const server = startDemo();
const recorder = new SessionRecorder({
  origin: server.origin,
  send: fetch,
  now: () => performance.timeOrigin + performance.now(),
});
try {
  await (Deno.args[0] === "forms" ? formsSession() : recordApiSession(recorder, () => {}));
} finally {
  await server.stop();
}
console.log(recorder.toHar(RECORDED_AT).trimEnd());

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
