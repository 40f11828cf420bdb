import type { Route } from "../shop/router.ts";

const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** Routes of the style sheet, the script and the images that a browser loads with a page. */
export const ASSETS: readonly Route[] = [
  asset("/assets/shop.css", "text/css", "body { font: 1rem/1.5 sans-serif; margin: 2rem }\n"),
  asset("/assets/shop.js", "text/javascript", "document.documentElement.lang ||= 'en';\n"),
  asset("/assets/logo.png", "image/png", PIXEL),
  asset("/favicon.ico", "image/png", PIXEL),
];

function asset(path: string, contentType: string, body: BodyInit): Route {
  const headers = { "content-type": contentType, "cache-control": "max-age=3600" };
  return ["GET", path, () => new Response(body, { headers })];
}
