import { Parser } from "htmlparser2";
import {
  attributeSelector,
  type DefaultOption,
  findDefaultOptions,
} from "../../../extract/default_options.ts";
import { MarkupError, MarkupLimits } from "../../../extract/markup_limits.ts";
import {
  dynamicShape,
  isShortNumber,
  isWordy,
  looksGenerated,
  nameHint,
} from "../../../traffic/session/dynamic_value.ts";
import { addNamedValues } from "./named_values.ts";
import type { Located, SourceSearch } from "./source_search.ts";
import { isTypedBefore } from "./typed_names.ts";
import { addTextValues } from "./text_values.ts";

/**
 * Searches bodies that are not JSON for values that requests send. Locates the values of form
 * inputs, meta tags and default options by CSS selector, and other values (in scripts, links or
 * XML) by the surrounding text.
 */
export const htmlSource: SourceSearch = {
  inBody: true,
  search(response, wanted, { add, unreadMarkup }) {
    if (response.json !== undefined || response.text === undefined) return;
    const { sent, typed } = wanted;
    const { call, text } = response;
    const found = (value: string, key: string, located: Located, by: "use" | "option" = "use") =>
      add({ value, key, source: "html", by, numeric: false, producer: call, located });
    const isWanted = (value: string) => sent.sought.has(value) || sent.shortIds.has(value);
    const isHtml = call.exchange.response.mimeType.includes("html");
    const fields = isHtml ? htmlFields(text, isWanted) : [];
    if (fields === undefined) unreadMarkup(call);
    for (const field of fields ?? []) found(field.value, field.name, selector(field));
    const known = new Set((fields ?? []).map(({ value }) => value));
    const isNumberSent = (value: string) => isShortNumber(value) && sent.mayHold(value);
    const mayBeDefault = (value: string) => isNumberSent(value) || sent.sought.has(value);
    // The row of an object that the user created is found by its name.
    const isTyped = isTypedBefore(typed, call);
    for (const option of isHtml ? defaultOptions(text, mayBeDefault) : []) {
      const { name, value, extractor } = option;
      if (isTyped(option.text)) continue;
      if (!isShortNumber(value)) {
        found(value, name, extractor, isGenerated(option) ? "use" : "option");
        known.add(value);
      } else if (option.mayBeId || nameHint(name).idLike) {
        found(value, name, extractor, "option");
      }
    }
    for (const value of isHtml ? codesOfOptions(text, sent.sought) : []) known.add(value);
    addTextValues(call, text, wanted, known, add);
    addNamedValues(call, text, sent, known, add);
  },
};

/** A form input, a button or a meta tag with a value that requests send. */
interface HtmlField {
  readonly tag: "input" | "meta" | "button";
  /** The attribute that selects the element. */
  readonly by: "name" | "id" | "property";
  readonly name: string;
  /** The attribute that contains the value. */
  readonly attribute: "value" | "content";
  readonly value: string;
  /**
   * Index, from 0, among the elements that have the same tag name and the same value of the
   * selecting attribute.
   */
  readonly index: number;
}

/** Matches the attribute `value` in the attributes of an element. */
const ATTRIBUTE = /\svalue\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/i;
const VALUE = /(?:value|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi;

/**
 * Returns the form inputs, buttons and meta tags that have a name, an id or a `property`, and whose
 * value, after decoding entities, satisfies `wanted`. Returns undefined if the page exceeds a
 * markup limit, because a run cannot extract values from such a page either.
 */
function htmlFields(
  html: string,
  wanted: (value: string) => boolean,
): HtmlField[] | undefined {
  if (!mayHold(html, wanted)) return [];
  const fields: HtmlField[] = [];
  const seen = new Map<string, number>();
  const limits = new MarkupLimits();
  const parser = new Parser({
    onclosetag: () => limits.close(),
    onopentag(tag, attributes) {
      limits.open();
      limits.add();
      if (tag !== "input" && tag !== "meta" && tag !== "button") return;
      const by = (["name", "id", "property"] as const).find((name) => attributes[name]);
      if (by === undefined) return;
      const name = attributes[by];
      const key = `${tag} ${by} ${name}`;
      const index = seen.get(key) ?? 0;
      seen.set(key, index + 1);
      const attribute = tag === "meta" ? "content" : "value";
      const value = attributes[attribute];
      if (value !== undefined && wanted(value)) {
        fields.push({ tag, by, name, attribute, value, index });
      }
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (error instanceof MarkupError) return undefined;
    throw error;
  }
  return fields;
}

/**
 * Reports, without parsing the page, whether an attribute may contain a value for which `wanted`
 * returns true. May return false positives, never false negatives.
 */
function mayHold(html: string, wanted: (value: string) => boolean): boolean {
  for (const [, double, single, bare] of html.matchAll(VALUE)) {
    const value = double ?? single ?? bare;
    if (wanted(value) || (value.includes("&") && !value.includes(" "))) return true;
  }
  return false;
}

const OPTION_TEXT = /<option([^<]*)/gi;
/** Matches a number at the end of a name, as in `component-12`. */
const LAST_NUMBER = /[-_. ]?\d{1,3}$/;

/**
 * Reports whether the value of an option looks server-generated, unlike a code, such as that of a
 * country, or a name that the user reads.
 */
function isGenerated({ value, text }: Pick<DefaultOption, "value" | "text">): boolean {
  if (dynamicShape(value) !== undefined) return !isShortNumber(value);
  return value !== text && looksGenerated(value) && !isWordy(value.replace(LAST_NUMBER, ""));
}

/**
 * Returns the values in `sought` that a page contains as values of options, and that do not look
 * server-generated.
 */
function codesOfOptions(html: string, sought: Pick<ReadonlySet<string>, "has">): string[] {
  return [...html.matchAll(OPTION_TEXT)].flatMap(([, tail]) => {
    const end = tail.indexOf(">");
    const text = tail.slice(end + 1).trim();
    const [, double, single, bare] = ATTRIBUTE.exec(tail.slice(0, Math.max(end, 0))) ?? [];
    const value = double ?? single ?? bare ?? text;
    return sought.has(value) && !isGenerated({ value, text }) ? [value] : [];
  });
}

/**
 * Returns the options that a browser sends by default, and whose value satisfies `wanted`. Returns
 * an empty list if the page exceeds a markup limit.
 */
function defaultOptions(html: string, wanted: (value: string) => boolean): DefaultOption[] {
  if (!/<select\b/i.test(html)) return [];
  const mayHoldOption = mayHold(html, wanted) ||
    html.matchAll(OPTION_TEXT).some(([, tail]) => {
      const text = tail.slice(tail.lastIndexOf(">") + 1).trim();
      return text.includes("&") || wanted(text);
    });
  if (!mayHoldOption) return [];
  return (findDefaultOptions(html) ?? []).filter(({ value }) => wanted(value));
}

function selector({ tag, by, name, attribute, index }: HtmlField): Located {
  const expression = attributeSelector(tag, by, name);
  const located = { type: "css", expression, attribute } as const;
  return index === 0 ? located : { ...located, index };
}
