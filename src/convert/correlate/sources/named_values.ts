import { isShortNumber, nameHint, nameWords } from "../../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import { SHORTEST_WITHIN } from "../../../traffic/session/value_index.ts";
import type { RequestValues } from "./request_values.ts";
import type { Candidate, FoundValues } from "./source_search.ts";
import { locateText, MOST_TRIES } from "./text_values.ts";

const NUMBER = /\d+/g;
const PART_OF_WORD = /[\w.-]/;
/** Maximum number of UTF-16 code units before a value in which to search for the value's name. */
const LONGEST_NAME = 80;
/**
 * Matches the name of an attribute, a member, a variable or an XML element directly before a value.
 */
const NAMED =
  /([A-Za-z_][\w:.-]*)(?:\\*["']|&quot;)?\s*[:=]\s*(?:\\*["']|&quot;)?$|<([A-Za-z_][\w:.-]*)>$/;

/**
 * Finds numbers of up to seven digits that a request may take from the body `text`, because they
 * follow an id-like name, or are arguments in event handlers: `data-item-id="42"`, `userId: 42`,
 * `<id>42</id>`, `onclick="showUser(42)"`. Longer values can be found by their text alone. Ignores
 * the values in `known`. If `isScript` is true, strings in the text may be scripts, so that `addUser(4217)` also contains an id.
 */
export function addNamedValues(
  call: RecordedCall,
  text: string,
  { sought, shortIds, isScript = false }: Pick<RequestValues, "sought" | "shortIds"> & {
    readonly isScript?: boolean;
  },
  known: ReadonlySet<string>,
  add: FoundValues["add"],
): void {
  const tries = new Map<string, number>();
  for (const { 0: value, index: start } of text.matchAll(NUMBER)) {
    if (value.length >= SHORTEST_WITHIN || known.has(value)) continue;
    if (!sought.get(value)?.sure && !shortIds.has(value)) continue;
    const tried = tries.get(value) ?? 0;
    const end = start + value.length;
    if (tried >= MOST_TRIES || PART_OF_WORD.test(text.charAt(end))) continue;
    const { key, by } = nameAt(text, start, value, isScript);
    if (key === "") continue;
    const located = locateText(text, start, end);
    tries.set(value, located === undefined ? tried + 1 : MOST_TRIES);
    if (located === undefined) continue;
    add({
      value,
      key,
      source: "html",
      by,
      numeric: false,
      producer: call,
      located: located.extractor,
    });
  }
}

/**
 * Returns the name of the number `value` at `start` in `text`, and the reason why it looks dynamic.
 * The name is empty if the number does not look like an id. See `addNamedValues` for `isScript`.
 */
function nameAt(
  text: string,
  start: number,
  value: string,
  isScript: boolean,
): Pick<Candidate, "key" | "by"> {
  const isArgument = FIRST_ARGUMENT.test(text.slice(Math.max(0, start - 3), start));
  const near = text.slice(Math.max(0, start - LONGEST_HANDLER), start);
  // Most JSON bodies contain many numbers of fewer than four digits.
  if (isScript && isShortNumber(value)) {
    return { key: isArgument ? methodArgument(near, true) : "", by: "argument" };
  }
  const before = NAMED.exec(near.slice(-LONGEST_NAME));
  const name = (before?.[1] ?? before?.[2] ?? "").replace(/^data-/, "");
  if (nameHint(name).idLike) return { key: name, by: "use" };
  const handled = handlerArgument(near);
  if (handled !== "" || !isArgument) return { key: handled, by: "use" };
  return { key: methodArgument(near, isScript), by: "argument" };
}

/**
 * Maximum number of UTF-16 code units before an argument in which to search for the name of the
 * function that receives the argument.
 */
const LONGEST_HANDLER = 200;

/**
 * Matches the text of an event handler, or of a `javascript:` link, up to an argument of a call.
 */
const HANDLER =
  /(?:\son(?:click|dblclick|mousedown|touchstart|change|select|submit)\s*=\s*["']|["']javascript:)[^<>]*?([A-Za-z_$][\w$]*)\s*\(\s*(?:[^()<>]*,\s*)?(?:\\*["']|&quot;|&#0?39;|&apos;)?$/i;
/** Matches script text up to the first argument of a call of a method: `app.addUser(`. */
const CALL = /[\w$]\.([A-Za-z_$][\w$]*)\((?:\\*["'])?$/;
/** Prefilter: matches the characters before every argument that `CALL` matches. */
const FIRST_ARGUMENT = /\((?:\\*["'])?$/;
/**
 * Words in function names, mostly verbs, that do not name the object that an argument identifies.
 */
const VERBS = new Set(
  ("edit delete remove destroy show open view select choose pick add load get fetch toggle save update change on " +
    "click handle do go goto confirm submit cancel close set move copy rename like vote download restore row " +
    "item by id ajax call run mark start stop the this").split(" "),
);
/** Matches words in a function name that show that its arguments are positions, sizes or times. */
const OTHER =
  /tab|page|pager|paginat|step|slide|sort|order|scroll|zoom|resize|size|timeout|interval|month|year|day|week|date|index|level|column|rate|rating|score|star|quantity|qty|count|limit|width|height|lang/;

/**
 * Returns the name of an id that an event handler passes to a function, such as `user_id` for `17`
 * in `onclick="showUser(17)"`, or `id` if the function's name does not name an object. `before` is
 * the text before the value. Returns an empty string if the value is not an argument, or if the
 * function's name suggests a position, a size or a time.
 */
function handlerArgument(before: string): string {
  const name = HANDLER.exec(before)?.[1];
  const objects = name === undefined ? undefined : objectsIn(name);
  return objects === undefined ? "" : [...objects, "id"].join("_");
}

/**
 * Returns the name of an id that a script passes to a method, such as `message_id` for `17` in
 * `this.addMessageRow(17)`. `before` is the text before the value. Returns an empty string if the
 * value is not the first argument of a method, if the method's name does not name an object, or if
 * it suggests a position, a size or a time. Unless `isScript` is true, the method's name must end
 * with `id`, as in `setDraftId(17)`.
 */
function methodArgument(before: string, isScript: boolean): string {
  const name = CALL.exec(before)?.[1];
  if (name === undefined || !(isScript || nameWords(name).at(-1) === "id")) return "";
  const objects = objectsIn(name) ?? [];
  return objects.length === 0 ? "" : [...objects, "id"].join("_");
}

/**
 * Returns the words in the name of a function that name the object that its argument identifies.
 * Returns undefined if the name suggests a position, a size or a time.
 */
function objectsIn(name: string): string[] | undefined {
  const words = nameWords(name);
  if (words.some((word) => OTHER.test(word))) return undefined;
  return words.filter((word) => !VERBS.has(word) && /^[a-z]+$/.test(word));
}
