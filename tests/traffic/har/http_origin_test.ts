import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { httpOrigin } from "../../../src/traffic/har/http_origin.ts";

Deno.test("httpOrigin returns the origin that the URL parser returns", () => {
  const ends = [
    "",
    "/",
    "?q=1",
    "#top",
    "\\a/b",
    "/a@b.example:9/",
    "\t/",
    ":",
    "%41.example/",
    "é",
  ];
  const starts = ["a.example", "A.Example:443", "u:p@a.example:80", "[::1]:8080", "127.1", "a_b"];
  fc.assert(
    fc.property(
      fc.constantFrom("http://", "https://", "HTTPS://"),
      fc.constantFrom(...starts),
      fc.constantFrom(...ends),
      fc.webPath(),
      (scheme, start, end, path) => {
        const url = scheme + start + end + path;
        if (!URL.canParse(url)) return;
        assertEquals(httpOrigin(url), new URL(url).origin);
        assertEquals(httpOrigin(url), new URL(url).origin, "from the cache");
      },
    ),
  );
});
