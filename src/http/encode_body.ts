import { ByteSink } from "../base/bytes/byte_sink.ts";

/**
 * Encodes name–value pairs as `application/x-www-form-urlencoded`. Keeps their order and any
 * duplicate names.
 */
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

const encoder = new TextEncoder();

/**
 * Encodes a `multipart/form-data` body (RFC 7578). Escapes field and file names as browsers do. A
 * part with a file name but without a content type is sent as `application/octet-stream`.
 */
export function encodeMultipart(parts: readonly EncodedPart[], boundary: string): Uint8Array {
  const sink = new ByteSink();
  const append = (bytes: Uint8Array) => sink.append(bytes, 0, bytes.length);
  for (const part of parts) {
    append(encoder.encode(`--${boundary}\r\n${partHead(part)}\r\n`));
    append(typeof part.content === "string" ? encoder.encode(part.content) : part.content);
    append(encoder.encode("\r\n"));
  }
  append(encoder.encode(`--${boundary}--\r\n`));
  return sink.take();
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
