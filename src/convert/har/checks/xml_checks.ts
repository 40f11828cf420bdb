import type { Condition } from "../../../plan/kinds/conditions/conditions.ts";
import { readOutline } from "../../../outcome/read_markup.ts";
import { escapeRegex } from "../../../base/string_escapes.ts";
import { isConstantText, type MaskValues } from "./shape_pattern.ts";

/** Maximum number of elements that the check lists. */
const MOST = 20;
/** Matches the start of an element that reports an error, with or without a prefix. */
const ERROR_ELEMENT = "<(?:[\\w.-]+:)?error[\\s\\/>]";

/**
 * Returns a check for the element names in an XML document. If the recorded document has no `error`
 * element, also checks that the response has no such element.
 */
export function xmlChecks(text: string, mask: MaskValues): Condition[] {
  const { elements = new Set<string>() } = readOutline(text, true) ?? {};
  const names = [...elements].filter((name) => isConstantText(name, mask)).slice(0, MOST);
  const checks: Condition[] = names.length === 0 ? [] : [{
    type: "body_matches",
    name: `XML elements ${names.join(", ")}`,
    pattern: `^${names.map((name) => `(?=[^]*<${escapeRegex(name)}[\\s\\/>])`).join("")}`,
  }];
  if (!new RegExp(ERROR_ELEMENT).test(text)) {
    checks.push({
      type: "body_matches",
      name: "no error element",
      pattern: ERROR_ELEMENT,
      negate: true,
    });
  }
  return checks;
}
