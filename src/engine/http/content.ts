import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import { ZstdFrameWalker } from "../../base/bytes/zstd_frame.ts";
import type { HttpResponse } from "../sender.ts";

/** What `decodeContent` can undo, as an Accept-Encoding header says it. */
export const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/** A body that is not what its Content-Encoding says, or is far too large once decoded. */
export class ContentError extends Error {
  override readonly name = "ContentError";
}

const MOST_BYTES = 128 * 1024 * 1024;
const MOST_ENCODINGS = 4;
const LARGEST_EMPTY_BROTLI = 4;
const LIMIT = { maxOutputLength: MOST_BYTES };

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, LIMIT),
  deflate: inflateEither,
  br: unbrotli,
  zstd: unzstdAll,
};

/**
 * The body of `reply` with its content encodings undone, the last one first. Throws `ContentError`
 * when it is damaged or cut short (as far as that shows in brotli), larger than 128 MiB, or encoded in
 * a way not known.
 */
export function decodeContent({ body, headers }: HttpResponse): Uint8Array {
  const named = headers.filter(([name]) => name === "content-encoding");
  if (named.length === 0) return body;
  const encodings = named.flatMap(([, value]) => value.toLowerCase().split(","))
    .map((encoding) => encoding.trim()).filter((encoding) => encoding !== "");
  if (encodings.length > MOST_ENCODINGS) {
    throw new ContentError(`the body is encoded ${encodings.length} times over`);
  }
  if (body.length === 0) return body;
  return encodings.reduceRight(decode, body);
}

function decode(bytes: Uint8Array, encoding: string): Uint8Array {
  const name = encoding.replace(/^x-/, "");
  if (!Object.hasOwn(DECODERS, name)) {
    throw new ContentError(`the body is encoded as "${encoding}": expected ${ACCEPT_ENCODING}`);
  }
  try {
    return DECODERS[name](bytes);
  } catch (error) {
    const tooLarge = error instanceof RangeError;
    const why = tooLarge ? `more than ${MOST_BYTES} bytes` : (error as Error).message;
    throw new ContentError(`cannot decode the ${encoding} body: ${why}`, { cause: error });
  }
}

/** "deflate" means zlib's format, but servers have always sent bare deflate too. */
function inflateEither(bytes: Uint8Array): Uint8Array {
  const isZlib = (bytes[0] & 0x0f) === 8 && ((bytes[0] << 8) | bytes[1]) % 31 === 0;
  return isZlib ? inflateSync(bytes, LIMIT) : inflateRawSync(bytes, LIMIT);
}

/** Deno takes what is no brotli, or is cut short, for a whole: only that nothing came of it shows. */
function unbrotli(bytes: Uint8Array): Uint8Array {
  const decoded = brotliDecompressSync(bytes, LIMIT);
  if (decoded.length === 0 && bytes.length > LARGEST_EMPTY_BROTLI) throw new Error("it is damaged");
  return decoded;
}

/** Frame by frame: Deno stops after the first, and takes one that is cut short for a whole one. */
function unzstdAll(bytes: Uint8Array): Uint8Array {
  const frames: Uint8Array[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length;) {
    const walker = new ZstdFrameWalker();
    const end = at + walker.walk(bytes.subarray(at));
    if (!walker.done) throw new Error("it is cut short");
    if (!walker.skippable) {
      const frame = zstdDecompressSync(bytes.subarray(at, end), {
        maxOutputLength: Math.max(1, MOST_BYTES - size),
      });
      frames.push(frame);
      size += frame.length;
    }
    at = end;
  }
  return frames.length === 1 ? frames[0] : concat(frames, size);
}

function concat(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
