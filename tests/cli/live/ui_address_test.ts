import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { parseUiAddress, uiUrl } from "../../../src/cli/live/ui_address.ts";

Deno.test("an address is empty, a port, or a host and a port", () => {
  const urls: Record<string, string> = {
    "": "http://127.0.0.1:6070/",
    "0": "http://127.0.0.1:0/",
    "9000": "http://127.0.0.1:9000/",
    "0.0.0.0:80": "http://0.0.0.0:80/",
    "[::1]:9000": "http://[::1]:9000/",
    "load-1:9000": "http://load-1:9000/",
  };
  for (const [given, url] of Object.entries(urls)) assertEquals(uiUrl(parseUiAddress(given)), url);
  for (const given of ["x", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "http://a"]) {
    assertThrows(() => parseUiAddress(given), UsageError, "--ui=HOST:PORT", given);
  }
});
