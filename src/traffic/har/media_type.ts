/** A parsed Content-Type. */
export interface MediaType {
  /** `type/subtype` in lower case; empty if there is none. */
  readonly essence: string;
  /** Parameters by name in lower case, without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

/** Parses the value of a Content-Type, such as `text/html; charset=utf-8`. */
export function parseMediaType(text: string): MediaType {
  const essence = /^[^;\r\n\0]*/.exec(text)![0].trim().toLowerCase();
  const parameters = new Map<string, string>();
  for (const [, name, quoted, plain] of text.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain.trim());
  }
  return { essence: essence.includes("/") ? essence : "", parameters };
}

/** Reports whether this media type is JSON. */
export function isJson(essence: string): boolean {
  return /[/+](?:x-)?(?:nd)?json$/.test(essence);
}

/** Reports whether this media type is human-readable text. */
export function isText(essence: string): boolean {
  return essence.startsWith("text/") || isJson(essence) || essence === "image/svg+xml" ||
    /[/+](?:xml|yaml|javascript|x-javascript|ecmascript|graphql|x-www-form-urlencoded|csp-report)$/
      .test(essence);
}
