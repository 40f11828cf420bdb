import { ByteSink } from "./byte_sink.ts";

/**
 * Reads the body of a request or response. Resolves to undefined, without reading the rest, if the
 * body is larger than `limit` bytes.
 */
export async function readBody(
  { body }: Pick<Request, "body">,
  limit: number,
): Promise<Uint8Array | undefined> {
  const known = new ByteSink();
  for await (const chunk of body ?? []) {
    if (known.size + chunk.length > limit) return undefined;
    known.append(chunk, 0, chunk.length);
  }
  return known.take();
}
