import type { RecordedRequest } from "./exchange.ts";

const STATIC_TYPE =
  /^(?:image|font|audio|video)\/|\/(?:(?:x-)?(?:font|javascript|ecmascript)\b.*|css|vnd\.ms-fontobject|x-shockwave-flash|wasm|ogg|vnd\.apple\.mpegurl)$/;
const STATIC_EXTENSION =
  /\.(?:avif|bmp|cur|gif|hei[cf]|ico|jfif|jpe?g|jxl|png|svgz?|tiff?|webp|css|scss|less|m?js|jsx|wasm|map|webmanifest|eot|otf|ttf|ttc|woff2?|aac|flac|m3u8|m4a|m4s|m4v|mkv|mov|mp3|mp4|mpd|mpe?g|oga|ogg|ogv|opus|ts|wav|webm|swf)$|\/manifest\.json$/i;
/** A percent-encoded ASCII letter, digit or dot. */
const ESCAPED = /%(?:2e|3\d|[46][1-9a-f]|[57][0-9a])/gi;

/**
 * Reports whether a response is an image, style sheet, script, font or another file that a browser
 * fetches to show a page. Uses its media type, or the extension in its URL if no type was recorded.
 */
export function isStaticAsset(mimeType: string, url: string): boolean {
  if (mimeType !== "" && mimeType !== "application/octet-stream") return STATIC_TYPE.test(mimeType);
  return STATIC_EXTENSION.test(urlPath(url));
}

/**
 * Reports whether a recorded call fetches a static asset. Calls by page script do not, regardless of the
 * response (Rails returns `text/javascript` to them), and neither do methods other than GET and HEAD.
 */
export function isStaticCall(
  { method, url, byScript }: RecordedRequest,
  mimeType: string,
): boolean {
  return !byScript && /^(?:GET|HEAD)$/i.test(method) && isStaticAsset(mimeType, url);
}

/** Returns the path of a URL without `;jsessionid=…` and the like, and with letters and dots unescaped. */
function urlPath(url: string): string {
  const path = /^[^?#]*/.exec(url)![0];
  const plain = path.includes("%")
    ? path.replace(ESCAPED, (text) => String.fromCharCode(parseInt(text.slice(1), 16)))
    : path;
  return plain.includes(";") ? plain.replace(/;[^/]*$/, "") : plain;
}
