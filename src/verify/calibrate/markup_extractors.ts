import type { NamelessExtractor } from "../../extract/extractors.ts";
import type { TextRange } from "./text_extractors.ts";

const ATTRIBUTE = /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
/** Attributes that identify an element, best first. */
const IDENTIFYING = ["name", "id", "property", "data-id", "data-name", "rel"];
/** Maximum length of a tag in UTF-16 code units. */
const LONGEST_TAG = 8_000;

/**
 * Proposes CSS extractors for a value that is the whole value of an attribute, or the text of an
 * element with a name or an id. Returns an empty list if the value is elsewhere.
 */
export function markupExtractors({ text, at, length }: TextRange): NamelessExtractor[] {
  const start = text.lastIndexOf("<", at);
  if (start < 0 || at - start > LONGEST_TAG) return [];
  const end = text.indexOf(">", start);
  if (end < 0 || end - start > LONGEST_TAG) return [];
  const tag = /^<([a-z][\w-]*)/i.exec(text.slice(start, start + 80))?.[1].toLowerCase();
  if (tag === undefined) return [];
  const attributes = [...text.slice(start, end + 1).matchAll(ATTRIBUTE)].map((match) => ({
    name: match[1].toLowerCase(),
    value: match[2] ?? match[3] ?? match[4],
    // The value ends before the closing quotation mark, if it has one.
    end: start + match.index + match[0].length - (match[4] === undefined ? 1 : 0),
  }));
  const selectors = IDENTIFYING.flatMap((name) => {
    const identifying = attributes.find((one) => one.name === name);
    if (identifying === undefined || /[&\p{Cc}]/u.test(identifying.value)) return [];
    return [`${tag}[${name}="${identifying.value.replace(/["\\]/g, "\\$&")}"]`];
  });
  if (end < at) {
    const isText = text.slice(end + 1, at).trim() === "" && text.startsWith("</", at + length);
    const inner = text.slice(end + 1, at + length);
    const trim = inner.trim() === inner ? {} : { transform: ["trim" as const] };
    return isText ? selectors.map((expression) => ({ type: "css", expression, ...trim })) : [];
  }
  const attribute = attributes.find(({ value, end }) => end - value.length === at);
  if (attribute === undefined) return [];
  return [...selectors, `${tag}[${cssName(attribute.name)}]`]
    .filter((expression) => !expression.startsWith(`${tag}[${attribute.name}="`))
    .map((expression) => ({ type: "css", expression, attribute: attribute.name }));
}

function cssName(name: string): string {
  return name.replace(/[^\w-]/g, "\\$&");
}
