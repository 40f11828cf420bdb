import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { addParams, encodeTarget, resolveUrl, UrlError } from "../../src/http/url.ts";

const CASES: [url: string, base: string | undefined, authority: string, target: string][] = [
  ["http://shop.test", undefined, "shop.test", "/"],
  ["HTTP://Shop.TEST:80/a", undefined, "shop.test", "/a"],
  ["https://shop.test:443?q=1#top", undefined, "shop.test", "/?q=1"],
  ["https://shop.test:8443/a/../b//c", undefined, "shop.test:8443", "/a/../b//c"],
  ["http://[::1]:8080/", undefined, "[::1]:8080", "/"],
  ["http://bücher.test/ü", undefined, "xn--bcher-kva.test", "/%C3%BC"],
  ['/a%2Fb%zz?x=a b&y="<>`', "http://shop.test", "shop.test", "/a%2Fb%zz?x=a%20b&y=%22%3C%3E`"],
  ["/100%/`?a=%u4F60&b=5%", "http://shop.test", "shop.test", "/100%/%60?a=%u4F60&b=5%"],
  ["//a", "http://shop.test/", "shop.test", "//a"],
  ["a", "http://shop.test/api/", "shop.test", "/api/a"],
  ["/a", "http://shop.test/api?x#y", "shop.test", "/api/a"],
  ["?a=1", "http://shop.test/api", "shop.test", "/api?a=1"],
  ["", "http://shop.test/api", "shop.test", "/api"],
  ["/?next=http://other.test/", "http://shop.test", "shop.test", "/?next=http://other.test/"],
  ["*", "http://shop.test", "shop.test", "*"],
];

for (const [url, base, authority, target] of CASES) {
  Deno.test(`url: resolves "${url}" with base ${base} to ${target} at ${authority}`, () => {
    const resolved = resolveUrl(url, base);
    assertEquals([resolved.origin.authority, resolved.target], [authority, target]);
    assertStrictEquals(resolveUrl(url, base).origin, resolved.origin);
  });
}

Deno.test("url: all spellings of an origin yield the same origin object", () => {
  const { origin } = resolveUrl("https://shop.test/", undefined);
  assertStrictEquals(resolveUrl("/a", "https://SHOP.test:443/x").origin, origin);
  assert(resolveUrl("http://shop.test/", undefined).origin !== origin);
  assertEquals(resolveUrl("http://[::1]/", undefined).origin.host, "::1");
});

Deno.test("url: rejects URLs that requests cannot be sent to", () => {
  assertThrows(() => resolveUrl("/a", undefined), UrlError, "--base-url");
  assertThrows(() => resolveUrl("/a", "shop.test"), UrlError, "not absolute");
  assertThrows(() => resolveUrl("ftp://shop.test/", undefined), UrlError, "ftp://shop.test");
  assertThrows(() => resolveUrl("http://", undefined), UrlError);
  assertThrows(() => resolveUrl("http://a:99999/", undefined), UrlError);
  const error = assertThrows(() => resolveUrl("http://me:s3cret@a:99999/", undefined), UrlError);
  assertEquals(error.message.includes("s3cret"), false);
});

Deno.test("url: converts a percent-encoded user name and password to Basic authentication", () => {
  const { origin } = resolveUrl("http://shop.test/", undefined);
  const sent = (url: string, base?: string) => resolveUrl(url, base);
  const authorization = `Basic ${btoa("me:s3/cret")}`;
  assertEquals(sent("http://me:s3%2Fcret@shop.test/a"), { origin, authorization, target: "/a" });
  assertEquals(sent("/a", "http://me:s3%2Fcret@shop.test"), {
    origin,
    authorization,
    target: "/a",
  });
  assertEquals(sent("http://me%zz@shop.test/").authorization, `Basic ${btoa("me%zz:")}`);
  assertEquals(sent("http://shop.test/"), { origin, target: "/" });
});

Deno.test("url: encodes any string as a valid target and keeps a valid target unchanged", () => {
  fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
    const target = encodeTarget(text);
    assert(/^\/[!-~]*$/.test(target) && !target.includes("#"));
    assertEquals(encodeTarget(target), target);
  }));
});

Deno.test("url: appends query parameters in order, including duplicates", () => {
  assertEquals(addParams("/a", []), "/a");
  assertEquals(addParams("/a", [["x", "1 2"], ["x", "&="]]), "/a?x=1%202&x=%26%3D");
  assertEquals(addParams("/a?b=c", [["é", ""]]), "/a?b=c&%C3%A9=");
  assertEquals(addParams("/a?", [["x", "1"]]), "/a?x=1");
});
