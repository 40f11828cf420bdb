import type { RecordedResponse } from "../../traffic/har/exchange.ts";
import { isJson } from "../../traffic/har/media_type.ts";
import type { Candidate } from "./candidate.ts";
import type { Draft } from "./draft.ts";
import { dynamicBy, isShortNumber } from "./dynamic.ts";
import { forEachLeaf } from "./json_leaves.ts";
import { isReachable, jsonPath, type JsonPlace } from "./json_path.ts";
import { leafText } from "./json_tree.ts";
import { nameHint } from "./names.ts";

/**
 * The value of a response's JSON body; undefined when it has none. A body of another type is one when
 * it is a whole object or list; text with a guard such as `)]}'` is none.
 */
export function jsonBody({ text, mimeType }: RecordedResponse): unknown {
  if (text === undefined || mimeType.includes("html")) return undefined;
  const first = /[^\s\ufeff]/.exec(text.slice(0, 64))?.[0];
  if (first !== "{" && first !== "[" && !isJson(mimeType)) return undefined;
  try {
    return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Gives every dynamic-looking value of a JSON body, in document order. */
export function jsonCandidates(
  producer: Draft,
  body: unknown,
  give: (candidate: Candidate) => void,
): void {
  const visit = (leaf: unknown, key: string, place: () => JsonPlace | undefined) => {
    const value = leafText(leaf);
    if (value === undefined) return;
    const by = dynamicBy(key, value);
    if (by === undefined || (isShortNumber(value) && !nameHint(key).idLike)) return;
    if (!isReachable(place())) return;
    const locate = () => ({ type: "jsonpath", expression: jsonPath(place()) } as const);
    give({ value, key, source: "json", by, numeric: typeof leaf === "number", producer, locate });
  };
  if (typeof body !== "object") visit(body, "", () => undefined);
  forEachLeaf(body, (leaf, key, parent, step) => visit(leaf, key, () => ({ parent, step })));
}
