const STATIC_TYPE =
  /^(?:image|font|audio|video)\/|\/(?:(?:x-)?(?:font|javascript|ecmascript)\b.*|css|vnd\.ms-fontobject|x-shockwave-flash|wasm|ogg|vnd\.apple\.mpegurl)$/;
const STATIC_EXTENSION =
  /\.(?:avif|bmp|cur|gif|ico|jfif|jpe?g|png|svgz?|tiff?|webp|css|scss|less|m?js|jsx|wasm|map|eot|otf|ttf|ttc|woff2?|aac|flac|m4a|m4s|m4v|mkv|mov|mp3|mp4|mpe?g|oga|ogg|ogv|opus|ts|wav|webm|swf)$/i;

/**
 * Whether a response is an image, style sheet, script, font or another file that a browser fetches to
 * show a page: by its type, and only when no type was recorded by the extension in the URL of a GET or
 * HEAD (a PUT of a picture is an upload).
 */
export function isStaticAsset(mimeType: string, url: string, method: string = "GET"): boolean {
  if (mimeType !== "" && mimeType !== "application/octet-stream") return STATIC_TYPE.test(mimeType);
  return /^(?:GET|HEAD)$/i.test(method) && STATIC_EXTENSION.test(/^[^?#]*/.exec(url)![0]);
}
