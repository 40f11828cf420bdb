import { assertEquals } from "@std/assert";
import { isStaticAsset } from "../../src/traffic/static_asset.ts";

Deno.test("isStaticAsset recognizes static assets by the extension of their path", () => {
  const assets = [
    ...["/a.css", "/a.JS?v=1", "/photo.heic", "/photo.HEIF", "/photo.jxl", "/live/index.m3u8"],
    ...["/live/1.mpd", "/manifest.json", "/app/manifest.json?v=2", "/site.webmanifest", "/x%2ejs"],
    ...["/x%2Ecss", "/x.j%73", "/x.js;jsessionid=1A2B", "/x.js;jsessionid=1A2B?v=1"],
    "/a;v=1/x.png",
  ];
  assertEquals(assets.filter((path) => !isStaticAsset("", path)), []);
});

Deno.test("isStaticAsset returns false for other extensions, paths without an extension, and JSON media types", () => {
  const others = [
    ...["/", "/a", "/my-manifest.json", "/data.json", "/login;jsessionid=x.js", "/a.js/b"],
    ...["/x%252ejs", "/%zz", "/download?file=a.png", "/a.jsp", "/page#a.png"],
  ];
  assertEquals(others.filter((path) => isStaticAsset("", path)), []);
  assertEquals(isStaticAsset("application/json", "/manifest.json"), false);
});
