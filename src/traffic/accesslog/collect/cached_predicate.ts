import { ByteIndex } from "../../../base/byte_index.ts";

/** Maximum number of cached texts; further texts are tested each time they occur. */
const MAX_TEXTS = 100_000;

/** Caches a predicate over texts that repeat, such as user agents, and takes their bytes. */
export function cachePredicate(test: (text: string) => boolean): (bytes: Uint8Array) => boolean {
  const texts = new ByteIndex();
  const results: boolean[] = [];
  const decoder = new TextDecoder();
  return (bytes) => {
    const known = texts.find(bytes);
    if (known >= 0) return results[known];
    const result = test(decoder.decode(bytes));
    if (texts.size < MAX_TEXTS) results[texts.number(bytes)] = result;
    return result;
  };
}
