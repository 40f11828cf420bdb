import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { isLoopback, mayAskFor, uiAddress, uiUrl } from "../../../src/cli/live/ui_address.ts";

Deno.test("an address is nothing, a port, or a host and a port", () => {
  const urls: Record<string, string> = {
    "": "http://127.0.0.1:6070/",
    "0": "http://127.0.0.1:0/",
    "9000": "http://127.0.0.1:9000/",
    "0.0.0.0:80": "http://0.0.0.0:80/",
    "[::1]:9000": "http://[::1]:9000/",
    "load-1:9000": "http://load-1:9000/",
  };
  for (const [given, url] of Object.entries(urls)) assertEquals(uiUrl(uiAddress(given)), url);
  for (const given of ["x", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "http://a"]) {
    assertThrows(() => uiAddress(given), UsageError, "--ui=HOST:PORT", given);
  }
});

Deno.test("what only this machine can reach is known", () => {
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) {
    assertEquals(isLoopback({ host, port: 1 }), true, host);
  }
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.example", "localhost.example"]) {
    assertEquals(isLoopback({ host, port: 1 }), false, host);
  }
});

Deno.test("a page of a foreign name cannot read along, an address can be no such name", () => {
  const address = { host: "Load-1", port: 9000 };
  const known = ["127.0.0.1:9000", "localhost:1234", "[::1]:9000", "10.1.2.3", "LOAD-1:9000"];
  for (const host of known) assertEquals(mayAskFor(host, address), true, host);
  const foreign = [
    null,
    "",
    "evil.example",
    "evil.example:9000",
    "127.0.0.1.evil.example",
    "localhost.evil.example:9000",
    "load-1.evil.example:9000",
    "a b",
  ];
  for (const host of foreign) assertEquals(mayAskFor(host, address), false, String(host));
});
