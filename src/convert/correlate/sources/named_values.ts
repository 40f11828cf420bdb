import type { FoundTokens } from "../../../traffic/har/scan/token_scanner.ts";
import { nameHint, nameWords } from "../../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import { SHORTEST_WITHIN } from "../../../traffic/session/value_index.ts";
import type { RequestValues } from "../../../traffic/session/request_values.ts";
import type { FoundValues } from "./source_search.ts";
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
 * the values in `known`. `tokens` contains the tokens that a scanner found in the text (see
 * `SearchedResponse.tokens`), if it was scanned. If `isScript` is true, strings in the text may be
 * scripts, so that `addUser(4217)` also contains an id.
 */
export function addNamedValues(
  call: RecordedCall,
  text: string,
  { sought, shortIds, isScript = false }: Pick<RequestValues, "sought" | "shortIds"> & {
    readonly isScript?: boolean;
  },
  known: ReadonlySet<string>,
  add: FoundValues["add"],
  tokens?: FoundTokens,
): void {
  const tries = new Map<string, number>();
  for (const [value, start] of tokens === undefined ? numbersIn(text) : numbersAmong(tokens)) {
    if (value.length >= SHORTEST_WITHIN || known.has(value)) continue;
    if (!sought.get(value)?.sure && !shortIds.has(value)) continue;
    const tried = tries.get(value) ?? 0;
    const end = start + value.length;
    if (tried >= MOST_TRIES || PART_OF_WORD.test(text.charAt(end))) continue;
    const before = NAMED.exec(text.slice(Math.max(0, start - LONGEST_NAME), start));
    const name = (before?.[1] ?? before?.[2] ?? "").replace(/^data-/, "");
    const key = nameHint(name).idLike
      ? name
      : argumentName(text.slice(Math.max(0, start - LONGEST_HANDLER), start), isScript);
    if (key === "") continue;
    const located = locateText(text, start, end);
    tries.set(value, located === undefined ? tried + 1 : MOST_TRIES);
    if (located === undefined) continue;
    add({
      value,
      key,
      source: "html",
      by: "use",
      numeric: false,
      producer: call,
      located: located.extractor,
    });
  }
}

/** Returns the numbers of up to seven digits that `addNamedValues` looks for. */
export function numbersToFind({ sought, shortIds }: RequestValues): string[] {
  const numbers = [...sought.keys()].filter(isFindable);
  return [...numbers, ...[...shortIds].filter(isFindable)];
}

function isFindable(value: string): boolean {
  return value.length < SHORTEST_WITHIN && /^\d+$/.test(value);
}

function* numbersIn(text: string): Generator<[value: string, start: number]> {
  for (const { 0: value, index } of text.matchAll(NUMBER)) yield [value, index];
}

function* numbersAmong({ wanted, found }: FoundTokens): Generator<[value: string, start: number]> {
  for (let i = 0; i < found.length; i += 2) {
    const value = wanted[found[i] < 0 ? ~found[i] : found[i]];
    if (isFindable(value)) yield [value, found[i + 1]];
  }
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
 * in `onclick="showUser(17)"`, or `id` if the function's name does not name an object. If
 * `isScript` is true, also returns the name of an id that a script passes to a method whose name
 * names an object. `before` is the text before the value. Returns an empty string if the value is
 * not an argument, or if the function's name suggests a position, a size or a time.
 */
function argumentName(before: string, isScript: boolean): string {
  const handler = HANDLER.exec(before)?.[1];
  const name = handler ?? (isScript ? CALL.exec(before)?.[1] : undefined);
  if (name === undefined) return "";
  const words = nameWords(name);
  if (words.some((word) => OTHER.test(word))) return "";
  const objects = words.filter((word) => !VERBS.has(word) && /^[a-z]+$/.test(word));
  return handler === undefined && objects.length === 0 ? "" : [...objects, "id"].join("_");
}
