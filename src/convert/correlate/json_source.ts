import { parseExactJson } from "../../base/exact_json.ts";
import { isNumber } from "../../base/exact_number.ts";
import { isJson } from "../../traffic/har/media_type.ts";
import type { Candidate } from "./candidate.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { dynamicBy } from "../../traffic/session/dynamic_value.ts";
import { forEachLeaf } from "./json_leaves.ts";
import { appendStep, formatJsonPath, isReachable } from "./json_path.ts";
import { leafText } from "../../traffic/session/json_tree.ts";

/**
 * Parses the JSON body of a response. If the media type is not JSON, parses the body only if it starts
 * like an object or a list. Returns undefined for HTML, for invalid JSON, and for bodies with an
 * anti-hijacking prefix such as `)]}'`.
 */
export function parseJsonBody(text: string, mimeType: string): unknown {
  if (mimeType.includes("html")) return undefined;
  const first = /[^\s\ufeff]/.exec(text.slice(0, 64))?.[0];
  if (first !== "{" && first !== "[" && !isJson(mimeType)) return undefined;
  try {
    return parseExactJson(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/**
 * Passes to `add` every dynamic-looking value of a JSON body for which `isWanted` returns true, in
 * document order.
 */
export function jsonCandidates(
  producer: RecordedCall,
  body: unknown,
  isWanted: (value: string) => boolean,
  add: (candidate: Candidate) => void,
): void {
  forEachLeaf(body, (leaf, key, parent, step) => {
    const value = leafText(leaf);
    if (value === undefined) return;
    const by = dynamicBy(key, value);
    if (by === undefined || !isWanted(value)) return;
    const place = appendStep(parent, step);
    if (!isReachable(place)) return;
    const locate = () => ({ type: "jsonpath", expression: formatJsonPath(place) } as const);
    add({ value, key, source: "json", by, numeric: isNumber(leaf), producer, locate });
  });
}
