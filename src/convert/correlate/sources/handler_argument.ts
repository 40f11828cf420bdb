import { nameWords } from "../../../traffic/session/dynamic_value.ts";

/**
 * Maximum number of UTF-16 units before an argument in which to search for the name of the function
 * that gets the argument.
 */
export const LONGEST_HANDLER = 200;

/** Matches the text of an event handler, or of a `javascript:` link, up to an argument of a call. */
const HANDLER =
  /(?:\son(?:click|dblclick|mousedown|touchstart|change|select|submit)\s*=\s*["']|["']javascript:)[^<>]*?([A-Za-z_$][\w$]*)\s*\(\s*(?:[^()<>]*,\s*)?(?:\\*["']|&quot;|&#0?39;|&apos;)?$/i;
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
 * Returns the name of an id that an event handler passes to a function, such as `user_id` for `17` in
 * `onclick="showUser(17)"`, or `id` if the function names no object. `before` is the text before the
 * value. Returns an empty string if the value is not an argument, or if the function's name suggests a
 * position, a size or a time.
 */
export function handlerArgument(before: string): string {
  const [, name] = HANDLER.exec(before) ?? [];
  if (name === undefined) return "";
  const words = nameWords(name);
  if (words.some((word) => OTHER.test(word))) return "";
  return [...words.filter((word) => !VERBS.has(word) && /^[a-z]+$/.test(word)), "id"].join("_");
}
