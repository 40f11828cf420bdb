const STATIC_TYPE =
  /^(?:image|font|audio|video)\/|\/(?:(?:x-)?(?:font|javascript|ecmascript)\b.*|css|vnd\.ms-fontobject|x-shockwave-flash|wasm|ogg|vnd\.apple\.mpegurl)$/;
const STATIC_EXTENSION =
  /\.(?:avif|bmp|cur|gif|hei[cf]|ico|jfif|jpe?g|jxl|png|svgz?|tiff?|webp|css|scss|less|m?js|jsx|wasm|map|webmanifest|eot|otf|ttf|ttc|woff2?|aac|flac|m3u8|m4a|m4s|m4v|mkv|mov|mp3|mp4|mpd|mpe?g|oga|ogg|ogv|opus|ts|wav|webm|swf)$|\/manifest\.json$/i;
const UNSPECIFIC_TYPE = /^(?:application\/octet-stream|x-unknown)?$/;
/** Matches a percent-encoded ASCII letter, digit or dot. */
const ESCAPED = /%(?:2e|3\d|[46][1-9a-f]|[57][0-9a])/gi;

/** Checks the media type, or the extension in the URL if the type is missing or unspecific. */
export function isStaticAsset(mimeType: string, url: string): boolean {
  if (!UNSPECIFIC_TYPE.test(mimeType)) return STATIC_TYPE.test(mimeType);
  return STATIC_EXTENSION.test(urlPath(url));
}

/** Without path parameters such as `;jsessionid=…`, and with letters, digits and dots decoded. */
function urlPath(url: string): string {
  const path = /^[^?#]*/.exec(url)![0];
  const plain = path.includes("%")
    ? path.replace(ESCAPED, (text) => String.fromCharCode(parseInt(text.slice(1), 16)))
    : path;
  return plain.includes(";") ? plain.replace(/;[^/]*$/, "") : plain;
}
