/** A parsed value of a `Content-Type` header. */
export interface MediaType {
  /** Media type as `type/subtype` in lower case. Empty if the header contains no media type. */
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

/** Parses the value of a `Content-Type` header, such as `text/html; charset=utf-8`. */
export function parseMediaType(text: string): MediaType {
  const essence = /^[^;\r\n\0]*/.exec(text)![0].trim().toLowerCase();
  const parameters = new Map<string, string>();
  for (const [, name, quoted, plain] of text.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain.trim());
  }
  return { essence: essence.includes("/") ? essence : "", parameters };
}

/** Reports whether `type/subtype` is a JSON media type, such as `application/problem+json`. */
export function isJson(essence: string): boolean {
  return essence.endsWith("json") && /[/+](?:x-)?(?:nd)?json$/.test(essence);
}

/** Reports whether `type/subtype` is readable text, such as HTML, JSON, or a batch of responses. */
export function isText(essence: string): boolean {
  return essence.startsWith("text/") || isJson(essence) || essence === "image/svg+xml" ||
    essence === "multipart/mixed" ||
    /[/+](?:xml|yaml|javascript|x-javascript|ecmascript|graphql|x-www-form-urlencoded|csp-report)$/
      .test(essence);
}
