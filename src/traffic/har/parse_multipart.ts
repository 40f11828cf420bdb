import { bytesOfText, isBinary } from "./binary_text.ts";
import type { FormPart } from "./exchange.ts";
import { parseMediaType } from "./media_type.ts";

/**
 * Parses the parts of a `multipart/form-data` body. Returns undefined if the text is malformed or has
 * another boundary.
 */
export function parseMultipart(text: string, boundary: string): FormPart[] | undefined {
  const [preamble, ...pieces] = `\r\n${text}`.split(`\n--${boundary}`);
  if (preamble.trim() !== "" || !pieces.pop()?.startsWith("--")) return undefined;
  const parts = pieces.map(parsePart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/**
 * Parses one part of a multipart body. `piece` is the text after a delimiter, up to the line break
 * before the next one. Returns undefined if it is malformed.
 */
function parsePart(piece: string): FormPart | undefined {
  const [, head, content] = /^[ \t]*\r?\n([^]*?)\r?\n\r?\n([^]*?)\r?$/.exec(piece) ?? [];
  if (head === undefined) return undefined;
  const headers = new Map(
    head.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const disposition = headers.get("content-disposition") ?? "";
  const name = dispositionParameter(disposition, "name");
  if (name === undefined) return undefined;
  const filename = dispositionParameter(disposition, "filename");
  const contentType = headers.get("content-type");
  return {
    name,
    ...partContent(content, contentType),
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined && { contentType }),
  };
}

/**
 * Returns the content of a part as `value` if it is text, otherwise as `base64`. `contentType` defaults
 * to `text/plain`.
 */
export function partContent(
  content: string,
  contentType: string | undefined,
): { value: string } | { base64: string } {
  const { essence } = parseMediaType(contentType ?? "text/plain");
  return isBinary(content, essence)
    ? { base64: bytesOfText(content).toBase64() }
    : { value: content };
}

/**
 * Returns a parameter of a `Content-Disposition` header; undefined if it is absent. Browsers escape
 * quotes and line breaks in names as `%22`, `%0D` and `%0A`; other clients write `\"`.
 */
function dispositionParameter(disposition: string, name: string): string | undefined {
  const pattern = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, "i");
  const [, quoted, plain] = pattern.exec(disposition) ?? [];
  return (quoted?.replace(/\\(["\\])/g, "$1") ?? plain)
    ?.replace(/%22|%0D|%0A/gi, (escape) => decodeURIComponent(escape));
}
