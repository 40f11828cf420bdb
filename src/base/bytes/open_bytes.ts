import { InputError } from "../errors.ts";
import {
  ByteSource,
  type ByteSourceFacts,
  type Chunks,
  fileChunks,
  fileIdentity,
  Peekable,
} from "./byte_source.ts";
import { gunzip, isSkippable, unzstd, ZSTD_MAGIC } from "./decompress.ts";

/** First bytes of a gzip file. */
const GZIP_MAGIC = [0x1f, 0x8b, 8];

/**
 * Opens an input: a path, or `-` for the stream that `stdin` returns. Detects gzip and zstd by
 * content and decompresses them. Throws `InputError` if the file does not exist, is a directory,
 * cannot be accessed, or is a compressed file whose start is damaged.
 */
export async function openBytes(
  input: string,
  stdin: () => ReadableStream<Uint8Array>,
): Promise<ByteSource> {
  return input === "-" ? await openStream("standard input", stdin()) : await openFile(input);
}

async function openStream(name: string, stream: ReadableStream<Uint8Array>): Promise<ByteSource> {
  // Not awaited, because canceling a pipe may never complete and nothing depends on it.
  return await open({ name }, stream, () => void stream.cancel().catch(() => {}));
}

async function openFile(path: string): Promise<ByteSource> {
  let file: Deno.FsFile | undefined;
  const close = () => {
    file?.close();
    file = undefined;
  };
  try {
    file = Deno.openSync(path);
    const info = file.statSync();
    if (info.isDirectory) throw new Error("it is a directory, not a file");
    const size = info.isFile ? info.size : undefined;
    const facts = { name: path, size, identity: fileIdentity(info) };
    return await open(facts, fileChunks(file, size), close);
  } catch (error) {
    close();
    const message = `cannot read ${path}: ${reason(error, path)}`;
    throw new InputError(message, { source: path }, { cause: error });
  }
}

async function open(
  facts: ByteSourceFacts,
  chunks: Chunks,
  close: () => void,
): Promise<ByteSource> {
  let count = 0;
  const stored = new Peekable(countBytes(chunks, (bytes) => count += bytes));
  const decode = findDecoder(await stored.peek(4));
  const content = decode === undefined ? stored : decode(stored);
  const slicePath = decode === undefined && facts.size !== undefined ? facts.name : undefined;
  return new ByteSource({ ...facts, slicePath }, content, () => count, close);
}

/** Creates a source like `openBytes` for content that is not in a local file. */
export function deferBytes(
  facts: Omit<ByteSourceFacts, "slicePath">,
  chunks: Chunks,
  close: () => void,
): ByteSource {
  let count = 0;
  const content = async function* () {
    const stored = new Peekable(countBytes(chunks, (bytes) => count += bytes));
    const decode = findDecoder(await stored.peek(4));
    yield* decode === undefined ? stored : decode(stored);
  };
  return new ByteSource(facts, content(), () => count, close);
}

async function* countBytes(
  chunks: Chunks,
  add: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    add(chunk.length);
    yield chunk;
  }
}

function findDecoder(head: Uint8Array): ((chunks: Chunks) => Chunks) | undefined {
  const startsWith = (magic: readonly number[]) => magic.every((byte, i) => byte === head[i]);
  if (startsWith(GZIP_MAGIC)) return gunzip;
  return startsWith(ZSTD_MAGIC) || isSkippable(head) ? unzstd : undefined;
}

function reason(error: unknown, path: string): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.NotCapable) {
    return `the permission is missing; add \`--allow-read=${path}\` to \`deno run\``;
  }
  if (error instanceof Deno.errors.PermissionDenied) return "the operating system denies access";
  return error instanceof Error ? error.message : String(error);
}
