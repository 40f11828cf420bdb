import { CHUNK_BYTES } from "./chunks.ts";

/**
 * What is left of an open file, read synchronously into one buffer that is used again for every
 * chunk: asynchronous reads cost several times the read itself.
 */
export async function* fileChunks(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let count; (count = file.readSync(buffer)) !== null;) yield buffer.subarray(0, count);
}
