import type { RecordedRequest } from "./exchange.ts";

const STATIC_TYPE =
  /^(?:image|font|audio|video)\/|\/(?:(?:x-)?(?:font|javascript|ecmascript)\b.*|css|vnd\.ms-fontobject|x-shockwave-flash|wasm|ogg|vnd\.apple\.mpegurl)$/;
const STATIC_EXTENSION =
  /\.(?:avif|bmp|cur|gif|hei[cf]|ico|jfif|jpe?g|jxl|png|svgz?|tiff?|webp|css|scss|less|m?js|jsx|wasm|map|webmanifest|eot|otf|ttf|ttc|woff2?|aac|flac|m3u8|m4a|m4s|m4v|mkv|mov|mp3|mp4|mpd|mpe?g|oga|ogg|ogv|opus|ts|wav|webm|swf)$|\/manifest\.json$/i;
/** An ASCII letter, digit or dot that was percent-encoded. */
const ESCAPED = /%(?:2e|3\d|[46][1-9a-f]|[57][0-9a])/gi;

/**
 * Reports whether a response is an image, style sheet, script, font or another file that a browser
 * fetches to show a page: by its type, or by the extension in its URL if no type was recorded.
 */
export function isStaticAsset(mimeType: string, url: string): boolean {
  if (mimeType !== "" && mimeType !== "application/octet-stream") return STATIC_TYPE.test(mimeType);
  return STATIC_EXTENSION.test(pathOf(url));
}

/**
 * Reports whether a recorded call fetches a static asset. A call of page script is none, whatever it
 * returns (Rails answers scripts with `text/javascript`), nor is a call of another method than GET and
 * HEAD.
 */
export function isStaticCall(
  { method, url, byScript }: RecordedRequest,
  mimeType: string,
): boolean {
  return !byScript && /^(?:GET|HEAD)$/i.test(method) && isStaticAsset(mimeType, url);
}

/** The path of a URL without path parameters such as `;jsessionid=…`, letters and dots unescaped. */
function pathOf(url: string): string {
  const path = /^[^?#]*/.exec(url)![0];
  const plain = path.includes("%")
    ? path.replace(ESCAPED, (text) => String.fromCharCode(parseInt(text.slice(1), 16)))
    : path;
  return plain.includes(";") ? plain.replace(/;[^/]*$/, "") : plain;
}
