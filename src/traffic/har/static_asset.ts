import type { RecordedRequest } from "./exchange.ts";

const STATIC_TYPE =
  /^(?:image|font|audio|video)\/|\/(?:(?:x-)?(?:font|javascript|ecmascript)\b.*|css|vnd\.ms-fontobject|x-shockwave-flash|wasm|ogg|vnd\.apple\.mpegurl)$/;
const STATIC_EXTENSION =
  /\.(?:avif|bmp|cur|gif|ico|jfif|jpe?g|png|svgz?|tiff?|webp|css|scss|less|m?js|jsx|wasm|map|eot|otf|ttf|ttc|woff2?|aac|flac|m4a|m4s|m4v|mkv|mov|mp3|mp4|mpe?g|oga|ogg|ogv|opus|ts|wav|webm|swf)$/i;

/**
 * Reports whether a response is an image, style sheet, script, font or another file that a browser
 * fetches to show a page: by its type, or by the extension in its URL if no type was recorded.
 */
export function isStaticAsset(mimeType: string, url: string): boolean {
  if (mimeType !== "" && mimeType !== "application/octet-stream") return STATIC_TYPE.test(mimeType);
  return STATIC_EXTENSION.test(/^[^?#]*/.exec(url)![0]);
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
