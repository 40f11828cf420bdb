import { stringLiteral } from "../js/literal.ts";
import type { Script } from "../script/script.ts";

/** Matches a pseudo-class that k6 may not support. */
const UNKNOWN_PSEUDO =
  /(?<!\\):(?!:?(?:first|last|only|nth)-|(?:contains|has|not|empty|root|checked|disabled|enabled|input|link|matches)\b)/;

/** Returns the JavaScript code for the list of elements that a CSS selector matches. */
export function cssCode(selector: string, response: string, script: Script): string {
  noteSelector(selector, script);
  return `${script.use("elements")}(${response}, ${stringLiteral(selector)})`;
}

/** Adds a note if k6 may not support a part of a CSS selector. */
export function noteSelector(selector: string, script: Script): void {
  const outside = selector.replace(/"[^"]*"|'[^']*'/g, '""');
  if (!UNKNOWN_PSEUDO.test(outside)) return;
  script.note("k6-selector", selector, "k6 may not support a pseudo-class in this selector");
}
