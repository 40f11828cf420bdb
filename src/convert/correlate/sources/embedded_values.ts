import { leafText } from "../../../traffic/session/json_tree.ts";
import { forEachWantedLeaf } from "./json_source.ts";
import { addNamedValues } from "./named_values.ts";
import type { FoundValues, SearchedResponse, WantedValues } from "./source_search.ts";
import { findOccurrences } from "./text_occurrences.ts";
import { addTextValues } from "./text_values.ts";

/** Prefilter: matches strings that may be a URL, a path, markup, JSON or a list, but not a time. */
const MARKED = /[<>/="{|?&;,#]|:\D/;

/**
 * The short ids to search for: none, because numbers of fewer than four digits occur in most JSON
 * bodies.
 */
const NONE: ReadonlySet<string> = new Set();

/**
 * Searches the strings of a JSON body for values within them, such as the values in an embedded
 * page or in JSON within JSON. Ignores values that are a complete string or number of the body.
 */
export function searchEmbedded(
  response: SearchedResponse,
  wanted: WantedValues,
  { add }: FoundValues,
): void {
  if (!response.isJson) return;
  const { sought } = wanted.sent;
  // The frame of a message can contain values, such as the headers of STOMP.
  let isEmbedding = response.call.exchange.response.payload !== undefined;
  let hasNames = false;
  forEachWantedLeaf(response, (leaf) => {
    const value = leafText(leaf);
    if (value === undefined || !MARKED.test(value) || sought.has(value)) return;
    hasNames ||= /[<{]/.test(value);
    isEmbedding ||= findOccurrences(value, wanted.sought).length > 0;
  });
  if (!isEmbedding && !hasNames) return;
  const leaves = new Set<string>();
  forEachWantedLeaf(response, (leaf) => {
    const value = leafText(leaf);
    if (value !== undefined && sought.has(value)) leaves.add(value);
  });
  if (isEmbedding) addTextValues(response.call, response.text!, wanted, leaves, add);
  if (hasNames) {
    addNamedValues(
      response.call,
      response.text!,
      { sought, shortIds: NONE, isScript: true },
      leaves,
      add,
    );
  }
}
