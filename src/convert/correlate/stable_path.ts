import { random } from "../../base/random.ts";
import { compileExtractor } from "../../extract/extractors.ts";
import { literal } from "../../plan/text/template.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import { listNames, memberOf } from "./sources/element_names.ts";
import type { Candidate, Located } from "./sources/source_search.ts";
import { isTypedBefore, type TypedNames } from "./sources/typed_names.ts";

/**
 * Returns the candidate with a JSONPath that finds the elements of lists by their names instead of
 * their positions: `$.items[?@.name=='Lamp'].id` instead of `$.items[2].id`. Prefers names in
 * `typed` that the user typed earlier, and sets the `row` option of the extractor to the last such
 * name. Keeps the position of an element that has no unique name. Also keeps the position of the
 * only element of a list, unless the user typed its name.
 */
export function withStablePath(candidate: Candidate, typed: TypedNames): Candidate {
  const { located } = candidate;
  if (located.type !== "jsonpath" || !/\[\d+\]/.test(located.expression)) return candidate;
  const view = viewOf(candidate.producer);
  const isTyped = isTypedBefore(typed, candidate.producer);
  const { expression, row } = filteredPath(located.expression, view.json, isTyped);
  const stable = { ...located, expression, ...(row !== undefined && { row: literal(row) }) };
  return returns(stable, view, candidate.value) ? { ...candidate, located: stable } : candidate;
}

function returns(located: Located, view: RecordedView, value: string): boolean {
  try {
    return leafText(compileExtractor(located).take(view, random(1))) === value;
  } catch {
    return false; // Several elements have the name.
  }
}

/** Last parsed response, cached because values of the same response usually follow each other. */
let last: { readonly call: RecordedCall; readonly view: RecordedView } | undefined;

function viewOf(call: RecordedCall): RecordedView {
  if (last?.call !== call) last = { call, view: new RecordedView(call.exchange.response) };
  return last.view;
}

const STEP = /\.([A-Za-z_]\w*)|\[(\d+)\]/y;

/**
 * A JSONPath in which filters replace the positions of list elements. `row` is the last name on the
 * path that the user typed. It is absent if the user typed no name on the path.
 */
interface StablePath {
  readonly expression: string;
  readonly row?: string;
}

/**
 * Replaces the positions of list elements in a JSONPath with filters, such as `[2]` with
 * `[?@.name=='Lamp']`. Returns the path unchanged if it contains quoted names.
 */
function filteredPath(path: string, body: unknown, isTyped: IsTyped): StablePath {
  let [result, value, at] = ["$", body, 1];
  let row: string | undefined;
  while (at < path.length) {
    STEP.lastIndex = at;
    const step = STEP.exec(path);
    if (step === null) return { expression: path };
    const [text, name, index] = step;
    const found = index === undefined ? undefined : filterFor(value, Number(index), isTyped);
    if (found?.row !== undefined) row = found.row;
    result += found?.filter ?? text;
    value = (value as Record<string, unknown> | undefined)?.[name ?? index];
    at = STEP.lastIndex;
  }
  return { expression: result, ...(row !== undefined && { row }) };
}

/** Reports whether the user typed a name earlier in the recording. */
type IsTyped = (name: string) => boolean;

/**
 * JSONPath selector that replaces the position of a list element. `filter` selects only this
 * element, or is `[*]` if the `row` option identifies the element.
 */
interface ElementFilter {
  readonly filter: string;
  readonly row?: string;
}

/**
 * Returns a filter for the element at `index` of a list, or undefined if no name identifies only
 * this element. Also returns undefined for a list such as `["created", {"name": "Lamp"}]`, in which
 * an element's position determines its meaning.
 */
function filterFor(list: unknown, index: number, isTyped: IsTyped): ElementFilter | undefined {
  if (!Array.isArray(list) || list.some(isScalar)) return undefined;
  const names = listNames(list[index], isTyped);
  const own = names.filter(([, value]) => isTyped(value));
  for (const [path, value] of [...own, ...list.length < 2 ? [] : names]) {
    if (list.some((other, i) => i !== index && memberOf(other, path) === value)) continue;
    return isTyped(value)
      ? { filter: "[*]", row: value }
      : { filter: `[?@.${path.join(".")}=='${value}']` };
  }
  return undefined;
}

/** Reports whether a value is a string, a number or a boolean. */
function isScalar(value: unknown): boolean {
  return value !== null && typeof value !== "object";
}
