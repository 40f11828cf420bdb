import type { Located } from "./candidate.ts";

/**
 * Describes the part of a response that an extractor reads, such as header `Location`, with code in
 * back-ticks.
 */
export function describePlace(extractor: Located): string {
  switch (extractor.type) {
    case "css":
      return `\`${extractor.expression}\` @${extractor.attribute}`;
    case "header":
      return `header \`${extractor.header}\``;
    case "cookie":
      return `cookie \`${extractor.cookie}\``;
    case "boundary":
      return `the text after ${JSON.stringify(extractor.left)}`;
    default:
      return `\`${extractor.expression}\``;
  }
}
