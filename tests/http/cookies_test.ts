import { assertEquals } from "@std/assert";
import { CookieJar } from "../../src/http/cookies.ts";
import { internOrigin } from "../../src/http/url.ts";

const shop = internOrigin(false, "shop.test", 80);
const secureShop = internOrigin(true, "shop.test", 443);

Deno.test("cookies: an empty jar does not add a Cookie header", () => {
  const jar = new CookieJar();
  assertEquals(jar.header(shop, "/"), undefined);
  assertEquals(jar.get("a", shop, "/"), undefined);
  assertEquals(jar.version, 0);
});

Deno.test("cookies: are sent only to their host and path", () => {
  const jar = new CookieJar();
  jar.store(shop, "/a/b", "id=1; Path=/");
  jar.store(shop, "/a/b", "deep=2; HttpOnly");
  jar.store(secureShop, "/", "safe=3; Secure");
  assertEquals(jar.header(shop, "/"), "id=1");
  assertEquals(jar.header(shop, "/a/c?x"), "deep=2; id=1");
  assertEquals(jar.header(secureShop, "/"), "id=1; safe=3");
  assertEquals(jar.header(internOrigin(false, "other.test", 80), "/"), undefined);
  assertEquals(jar.get("id", shop, "/x"), "1");
});

Deno.test("cookies: apply to all ports of a host; a server can replace and delete them", () => {
  const jar = new CookieJar();
  const local = internOrigin(false, "127.0.0.1", 8080);
  jar.store(local, "/", "a=1");
  jar.store(local, "/", "a=2");
  assertEquals(jar.header(internOrigin(false, "127.0.0.1", 9090), "/"), "a=2");
  const { version } = jar;
  jar.store(local, "/", "a=; Max-Age=0");
  assertEquals(jar.header(local, "/"), undefined);
  assertEquals(jar.version > version, true);
});

Deno.test("cookies: ignores invalid cookies and cookies for other sites", () => {
  const jar = new CookieJar();
  jar.store(shop, "/", "a=1; Domain=other.test");
  jar.store(shop, "/", "b=1; Domain=test");
  jar.store(shop, "/", "");
  jar.store(shop, "/", "\0\x01;;;");
  assertEquals(jar.header(shop, "/"), undefined);
});

Deno.test("cookies: a cleared jar does not send cookies, and counts as changed if it contained any", () => {
  const jar = new CookieJar();
  jar.clear();
  assertEquals(jar.version, 0);
  jar.store(shop, "/", "a=1");
  const { version } = jar;
  jar.clear();
  assertEquals(jar.header(shop, "/"), undefined);
  assertEquals(jar.version > version, true);
});
