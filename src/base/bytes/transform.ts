import type { Transform } from "node:stream";
import type { Chunks } from "./chunks.ts";

/**
 * Sends chunks through a node:zlib transform and yields what comes out. A chunk is written when the
 * one before it has been used up, so chunks may share a buffer. `afterEach` sees each chunk then,
 * and may throw.
 */
export async function* through(
  transform: Transform,
  chunks: Chunks,
  afterEach: (chunk: Uint8Array) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const feeding = feed(transform, chunks, afterEach).catch((error) => transform.destroy(error));
  yield* transform;
  await feeding;
}

async function feed(
  transform: Transform,
  chunks: Chunks,
  afterEach: (chunk: Uint8Array) => void,
): Promise<void> {
  for await (const chunk of chunks) {
    await new Promise<void>((resolve, reject) => {
      transform.write(chunk, (error) => error ? reject(error) : resolve());
    });
    afterEach(chunk);
  }
  transform.end();
}
