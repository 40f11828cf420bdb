import { headerValue } from "../../traffic/har/har_fields.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { LinkPart } from "./link_part.ts";
import { escapeRegex } from "./sources/boundary_expression.ts";
import type { Located } from "./sources/source_search.ts";

/** Returns the first `Location` header of a response. */
export function locationOf({ exchange }: RecordedCall): string | undefined {
  return headerValue(exchange.response.headers, "location");
}

/**
 * Returns an extractor for a part of the URL in a `Location` header. The extractor finds a path
 * segment by the segment before it, or by its position if that segment occurs twice.
 */
export function locateInLocation(
  location: string,
  { value, collection, inPath }: LinkPart,
): Located | undefined {
  const before = escapeRegex(collection);
  const expression = inPath
    ? `\\/${before}\\/([^/?#;]+)`
    : collection === ""
    ? "[?]([^&#]+)"
    : `[?&#]${before}=([^&#]*)`;
  if (new RegExp(expression).exec(location)?.[1] !== value) return undefined;
  return { type: "header", header: "Location", expression };
}
