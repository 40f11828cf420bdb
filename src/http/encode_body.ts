import { concat } from "../base/bytes/byte_source.ts";

const encoder = new TextEncoder();

/** Encodes pairs as `application/x-www-form-urlencoded`, in their order. */
export function encodeForm(pairs: readonly (readonly [name: string, value: string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}

/** One part of a multipart/form-data body. */
export interface EncodedPart {
  readonly name: string;
  readonly content: Uint8Array | string;
  readonly filename?: string;
  readonly contentType?: string;
}

/** Encodes a `multipart/form-data` body. Escapes field and file names as browsers do. */
export function encodeMultipart(parts: readonly EncodedPart[], boundary: string): Uint8Array {
  const pieces = parts.flatMap((part) => [
    encoder.encode(`--${boundary}\r\n${partHead(part)}\r\n`),
    typeof part.content === "string" ? encoder.encode(part.content) : part.content,
    encoder.encode("\r\n"),
  ]);
  return concat([...pieces, encoder.encode(`--${boundary}--\r\n`)]);
}

/** Returns the header lines of a part. */
export function partHead({ name, filename, contentType }: Omit<EncodedPart, "content">): string {
  const file = filename === undefined ? "" : `; filename="${escape(filename)}"`;
  const type = contentType ?? (filename === undefined ? undefined : "application/octet-stream");
  return `Content-Disposition: form-data; name="${escape(name)}"${file}\r\n` +
    (type === undefined ? "" : `Content-Type: ${type.replace(/[\r\n]/g, " ")}\r\n`);
}

function escape(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
