import { decodeHtml } from "../../extract/parse_html.ts";
import type { WordPair } from "./align_words.ts";

const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Compares the attributes of two tags. Returns the decoded values that differ, but only those that
 * contain character references, because `alignWords` compares all others. Offsets refer to the tags
 * before decoding.
 */
export function alignAttributes(recorded: string, live: string): WordPair[] {
  if (recorded[0] !== "<" || !(recorded.includes("&") || live.includes("&"))) return [];
  const [attributes, liveAttributes] = [recorded, live].map((tag) => [...tag.matchAll(ATTRIBUTE)]);
  if (attributes.length !== liveAttributes.length) return [];
  return attributes.flatMap((match, i): WordPair[] => {
    const liveMatch = liveAttributes[i];
    const [value, liveValue] = [match, liveMatch].map((one) => one[2] ?? one[3]);
    const isEncoded = value.includes("&") || liveValue.includes("&");
    if (match[1] !== liveMatch[1] || value === liveValue || !isEncoded) return [];
    return [{
      recorded: decodeHtml(value),
      live: decodeHtml(liveValue),
      at: match.index + match[0].length - value.length - 1,
      liveAt: liveMatch.index + liveMatch[0].length - liveValue.length - 1,
    }];
  });
}
