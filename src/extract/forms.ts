import { type AnyNode, type Document, type Element, isTag } from "domhandler";
import * as domutils from "domutils";
import type { NamelessExtractor } from "./extractors.ts";
import { MarkupError, type ParsedHtml, parseHtml } from "./parse_html.ts";

/** A field, or a file that the user selects. */
export interface FormControl {
  readonly name: string;
  /** What a browser sends if the user does not change it. Empty for a file. */
  readonly value: string;
  /** The types of files that the form accepts, such as `.csv,image/*`. */
  readonly accept?: string;
}

/** A form of a page. */
export interface PageForm {
  /** HTTP method in upper case. */
  readonly method: string;
  /** URL to which the form is sent, as written. Empty for the URL of the page. */
  readonly action: string;
  /** What a browser sends if the user changes nothing, in document order. */
  readonly controls: readonly FormControl[];
}

const CONTROLS = new Set(["input", "select", "textarea", "button"]);
/** Values of `type` for buttons that a form sends only if the user clicks them. */
const SUBMITS = new Set(["submit", "image"]);
const NEVER_SENT = new Set(["reset", "button"]);

/** The forms with their successful controls, including a single button to send the form. */
export function readForms(page: ParsedHtml): PageForm[] {
  const { children } = page as Document;
  const elements = domutils.filter(isTag, children as AnyNode[]) as Element[];
  const controls = elements.filter(({ name }) => CONTROLS.has(name));
  return elements.filter(({ name }) => name === "form").map((form) => {
    const own = controls.filter((control) =>
      control.attribs.form === undefined
        ? isWithin(control, form)
        : control.attribs.form === form.attribs.id
    ).filter(({ attribs }) => attribs.name && attribs.disabled === undefined);
    const buttons = own.filter((control) => SUBMITS.has(typeOf(control)));
    return {
      method: (form.attribs.method || "get").toUpperCase(),
      action: form.attribs.action ?? "",
      controls: own.filter((control) => !buttons.includes(control) || buttons.length === 1)
        .flatMap(readControl),
    };
  });
}

function isWithin(element: Element, form: Element): boolean {
  for (let at = element.parent; at !== null; at = at.parent) if (at === form) return true;
  return false;
}

function typeOf({ name, attribs }: Element): string {
  return (attribs.type ?? (name === "button" ? "submit" : "text")).toLowerCase();
}

function readControl(element: Element): FormControl[] {
  const { name: tag, attribs } = element;
  const { name } = attribs;
  const type = typeOf(element);
  if (tag === "select") {
    return sentOptions(element).map((option) => ({ name, value: optionValue(option) }));
  }
  if (tag === "textarea") {
    return [{ name, value: domutils.textContent(element).replace(/^\r?\n/, "") }];
  }
  if (NEVER_SENT.has(type)) return [];
  if (type === "checkbox" || type === "radio") {
    return attribs.checked === undefined ? [] : [{ name, value: attribs.value ?? "on" }];
  }
  if (type === "file") return [{ name, value: "", accept: attribs.accept ?? "" }];
  return [{ name, value: attribs.value ?? "" }];
}

/** The options that a browser sends if the user does not choose others. */
function sentOptions(select: Element): Element[] {
  const { multiple, size = 1, disabled } = select.attribs;
  if (disabled !== undefined) return [];
  const options = domutils.getElementsByTagName("option", select);
  const selected = options.filter(({ attribs }) => attribs.selected !== undefined);
  const sent = selected.length > 0
    ? multiple === undefined ? selected.slice(-1) : selected
    : multiple !== undefined || Number(size) > 1
    ? []
    : options.filter(isEnabled).slice(0, 1);
  return sent.filter(isEnabled);
}

function isEnabled({ attribs, parent }: Element): boolean {
  return attribs.disabled === undefined &&
    (parent as Element | null)?.attribs?.disabled === undefined;
}

function optionValue(option: Element): string {
  return option.attribs.value ?? optionText(option);
}

function optionText(option: Element): string {
  return domutils.textContent(option).replace(/\s+/g, " ").trim();
}

/** An option of a `<select>` that a browser sends if the user does not choose another one. */
export interface DefaultOption {
  /** Value of the attribute `name` of the `<select>`. */
  readonly name: string;
  readonly value: string;
  /** Text that the browser shows. */
  readonly text: string;
  /** Offset of the value in the page, in UTF-16 code units. */
  readonly at: number;
  readonly extractor: Extract<NamelessExtractor, { type: "css" }>;
  /** False for a number in the option's text, or in an enumeration such as 1 to 5. */
  readonly mayBeId: boolean;
}

/** Returns the options in the order of their elements. Undefined beyond a limit of the parser. */
export function findDefaultOptions(html: string): DefaultOption[] | undefined {
  if (!/<select\b/i.test(html)) return [];
  let page: ParsedHtml;
  try {
    page = parseHtml(html, true);
  } catch (error) {
    if (error instanceof MarkupError) return undefined;
    throw error;
  }
  /** For each name, the number of selected and of enabled options so far. */
  const counts = new Map<string, { selected: number; enabled: number }>();
  const selects = domutils.getElementsByTagName("select", page as Document);
  return selects.filter(({ attribs }) => attribs.name).flatMap((select) => {
    const { name } = select.attribs;
    const count = counts.getOrInsert(name, { selected: 0, enabled: 0 });
    const options = domutils.getElementsByTagName("option", select);
    const isEnumerated = isEnumeration(options.map(optionValue));
    const sent = new Set(sentOptions(select));
    return options.flatMap((option) => {
      const { attribs } = option;
      const isSelected = attribs.selected !== undefined;
      const selected = isSelected ? count.selected++ : 0;
      const index = attribs.disabled === undefined ? count.enabled++ : 0;
      if (!sent.has(option)) return [];
      return [toDefault(option, name, isSelected ? selected : index, isEnumerated, html)];
    });
  });
}

/** Creates a CSS selector for the elements `tag` whose attribute `by` has the value `value`. */
export function attributeSelector(tag: string, by: string, value: string): string {
  const quoted = value.replace(/["\\]/g, "\\$&").replace(
    /[\n\r\f]/g,
    (c) => `\\${c.charCodeAt(0).toString(16)} `,
  );
  return `${tag}[${by}="${quoted}"]`;
}

function toDefault(
  option: Element,
  name: string,
  index: number,
  isEnumerated: boolean,
  html: string,
): DefaultOption {
  const { attribs, startIndex, firstChild } = option;
  const written = domutils.textContent(option);
  const [text, value] = [optionText(option), optionValue(option)];
  const isText = attribs.value === undefined;
  const tag = html.slice(startIndex!, firstChild?.startIndex ?? option.endIndex! + 1);
  return {
    name,
    value,
    text,
    at: startIndex! +
      (isText
        ? tag.length + written.length - written.trimStart().length
        : VALUE.exec(tag)?.[0].length ?? 0),
    extractor: {
      type: "css",
      expression: attributeSelector("select", "name", name) +
        (attribs.selected === undefined ? " option:not([disabled])" : " option[selected]"),
      ...(!isText && { attribute: "value" }),
      ...(index > 0 && { index }),
      ...(isText && written !== text && { transform: ["trim"] }),
    },
    mayBeId: value !== "0" && !isEnumerated && !text.match(NUMBERS)?.includes(value),
  };
}

/** Matches numbers without letters around them, unlike `1` in `ada1@example.com`. */
const NUMBERS = /(?<![\p{L}\d])\d+(?![\p{L}\d])/gu;

/** Matches a tag up to the value of its attribute `value`. */
const VALUE = /^[^]*?\svalue\s*=\s*["']?/i;

function isEnumeration(values: readonly string[]): boolean {
  const numbers = values.filter((value) => /^\d{1,9}$/.test(value)).map(Number);
  if (numbers.length < 2) return false;
  const [least, most] = numbers.reduce(
    ([least, most], number) => [Math.min(least, number), Math.max(most, number)],
    [Infinity, 0],
  );
  return least <= 1 && most <= 2 * numbers.length;
}
