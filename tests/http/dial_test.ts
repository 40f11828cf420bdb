import { assertEquals } from "@std/assert";
import { hostAddress } from "../../src/http/dial.ts";
import { internOrigin } from "../../src/http/url.ts";

const origin = internOrigin(false, "shop.test", 8080);

const CASES: [hosts: Record<string, string>, hostname: string, port: number][] = [
  [{}, "shop.test", 8080],
  [{ "other.test": "10.0.0.1" }, "shop.test", 8080],
  [{ "shop.test": "10.0.0.1" }, "10.0.0.1", 8080],
  [{ "shop.test": "10.0.0.1:9090" }, "10.0.0.1", 9090],
  [{ "shop.test:8080": "10.0.0.2", "shop.test": "10.0.0.1" }, "10.0.0.2", 8080],
  [{ "shop.test:80": "10.0.0.2" }, "shop.test", 8080],
  [{ "shop.test": "::1" }, "::1", 8080],
  [{ "shop.test": "[::1]" }, "::1", 8080],
  [{ "shop.test": "[::1]:9090" }, "::1", 9090],
];

for (const [hosts, hostname, port] of CASES) {
  Deno.test(`hosts: ${JSON.stringify(hosts)} resolves to ${hostname} ${port}`, () => {
    assertEquals(hostAddress(origin, hosts), { hostname, port });
  });
}

Deno.test("hosts: ignores inherited object properties such as `constructor`", () => {
  const odd = internOrigin(false, "constructor", 80);
  assertEquals(hostAddress(odd, {}), { hostname: "constructor", port: 80 });
});
