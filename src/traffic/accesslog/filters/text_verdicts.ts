import { ByteIndex } from "../../../base/byte_index.ts";

/** So many different texts are remembered; what comes after is judged each time it comes. */
const MOST_TEXTS = 100_000;

/** A judge of texts that repeat, such as user agents: each is looked at once. */
export function textVerdicts(judge: (text: string) => boolean): (bytes: Uint8Array) => boolean {
  const texts = new ByteIndex();
  const verdicts: boolean[] = [];
  const decoder = new TextDecoder();
  return (bytes) => {
    const known = texts.find(bytes);
    if (known >= 0) return verdicts[known];
    const verdict = judge(decoder.decode(bytes));
    if (texts.size < MOST_TEXTS) verdicts[texts.number(bytes)] = verdict;
    return verdict;
  };
}
