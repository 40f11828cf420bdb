import { type AnyNode, type Document, type Element, isTag } from "domhandler";
import * as domutils from "domutils";
import { Parser } from "htmlparser2";
import type { NamelessExtractor } from "./extractors.ts";
import { MarkupError, MarkupLimits, type ParsedHtml } from "./parse_html.ts";

/** A value that a form sends: a field, or a file that the user selects. */
export interface FormControl {
  readonly name: string;
  /** Value that a browser sends if the user does not change it. Empty for a file. */
  readonly value: string;
  /** Only for a file: the types that the form accepts, such as `.csv,image/*`. */
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

/**
 * Returns the forms of a page with their successful controls. If a form has a single button to send
 * it, includes this button.
 */
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
  if (tag === "select") return selectedValues(element).map((value) => ({ name, value }));
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

function selectedValues(select: Element): string[] {
  const options = domutils.getElementsByTagName("option", select)
    .filter(({ attribs }) => attribs.disabled === undefined);
  const selected = options.filter(({ attribs }) => attribs.selected !== undefined);
  const isMultiple = select.attribs.multiple !== undefined;
  const sent = isMultiple ? selected : [selected.at(-1) ?? options[0]];
  return sent.filter((option) => option !== undefined).map((option) =>
    option.attribs.value ?? domutils.textContent(option).replace(/\s+/g, " ").trim()
  );
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
  /** Extractor that returns the value from the page. */
  readonly extractor: Extract<NamelessExtractor, { type: "css" }>;
  /**
   * True if the value does not occur as a number in the option's text, and the values of the
   * `<select>` do not look like an enumeration, such as 1 to 5. A short number is then probably the
   * id of an object that belongs to the user.
   */
  readonly mayBeId: boolean;
}

/** An option of the open `<select>`. */
interface Option {
  readonly tag: string;
  readonly start: number;
  readonly attribute: string | undefined;
  readonly isSelected: boolean;
  readonly isDisabled: boolean;
  /** Index among the elements that `option[selected]` matches in elements of the same name. */
  readonly selectedIndex: number;
  /**
   * Index among the elements that `option:not([disabled])` matches in elements of the same name.
   */
  readonly enabledIndex: number;
  text: string;
}

interface Select {
  readonly name: string;
  readonly isMultiple: boolean;
  /** True if a browser sends no option unless one is selected. */
  readonly needsSelection: boolean;
  readonly isDisabled: boolean;
  readonly options: Option[];
}

/**
 * Returns the options that a browser sends by default, in the order of their `<select>` elements.
 * Omits elements without a name. Returns undefined if the page exceeds one of the `MarkupLimits`.
 * Takes linear time.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { findDefaultOptions } from "./forms.ts";
 *
 * const page = `<select name="from"><option value="7">Ada<option value="9">Bob</select>`;
 * const [option] = findDefaultOptions(page)!;
 * assertEquals([option.name, option.value], ["from", "7"]);
 * ```
 */
export function findDefaultOptions(html: string): DefaultOption[] | undefined {
  if (!/<select\b/i.test(html)) return [];
  const found: DefaultOption[] = [];
  const limits = new MarkupLimits();
  /** For each name, the number of selected and of enabled options so far. */
  const counts = new Map<string, { selected: number; enabled: number }>();
  let select: Select | undefined;
  let option: Option | undefined;
  let isGroupDisabled = false;
  const endSelect = () => {
    for (const one of select === undefined ? [] : defaultsOf(select)) found.push(one);
    select = option = undefined;
    isGroupDisabled = false;
  };
  const parser = new Parser({
    onopentag(tag, attributes) {
      limits.open();
      limits.add();
      if (tag === "select") {
        endSelect();
        if (attributes.name) select = readSelect(attributes);
      } else if (tag === "optgroup") isGroupDisabled = attributes.disabled !== undefined;
      else if (tag === "option" && select !== undefined) {
        const count = counts.get(select.name) ?? { selected: 0, enabled: 0 };
        counts.set(select.name, count);
        const isSelected = attributes.selected !== undefined;
        const isDisabled = attributes.disabled !== undefined;
        option = {
          tag: html.slice(parser.startIndex, parser.endIndex + 1),
          start: parser.startIndex,
          attribute: attributes.value,
          isSelected,
          isDisabled: isDisabled || isGroupDisabled,
          selectedIndex: isSelected ? count.selected++ : -1,
          enabledIndex: isDisabled ? -1 : count.enabled++,
          text: "",
        };
        select.options.push(option);
      }
    },
    ontext(data) {
      if (option !== undefined) option.text += data;
    },
    onclosetag(tag) {
      limits.close();
      if (tag === "select") endSelect();
      else if (tag === "option") option = undefined;
      else if (tag === "optgroup") isGroupDisabled = false;
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (error instanceof MarkupError) return undefined;
    throw error;
  }
  return found;
}

/** Creates a CSS selector for the elements `tag` whose attribute `by` has the value `value`. */
export function attributeSelector(tag: string, by: string, value: string): string {
  const quoted = value.replace(/["\\]/g, "\\$&").replace(
    /[\n\r\f]/g,
    (c) => `\\${c.charCodeAt(0).toString(16)} `,
  );
  return `${tag}[${by}="${quoted}"]`;
}

function readSelect(attributes: Readonly<Record<string, string>>): Select {
  const isMultiple = attributes.multiple !== undefined;
  return {
    name: attributes.name,
    isMultiple,
    needsSelection: isMultiple || Number(attributes.size ?? 1) > 1,
    isDisabled: attributes.disabled !== undefined,
    options: [],
  };
}

function defaultsOf(select: Select): DefaultOption[] {
  const { options, isDisabled, isMultiple, needsSelection } = select;
  if (isDisabled) return [];
  const selected = options.filter(({ isSelected }) => isSelected);
  const sent = selected.length > 0
    ? isMultiple ? selected : selected.slice(-1)
    : needsSelection
    ? []
    : options.filter((one) => !one.isDisabled).slice(0, 1);
  if (sent.length === 0) return [];
  const isEnumerated = isEnumeration(options.map(({ attribute, text }) => attribute ?? text));
  return sent.filter((one) => !one.isDisabled).map((one) => toDefault(one, select, isEnumerated));
}

function toDefault(option: Option, select: Select, isEnumerated: boolean): DefaultOption {
  const { attribute, isSelected, selectedIndex, enabledIndex, start, tag } = option;
  const text = option.text.replace(/[\t\n\f\r ]+/g, " ").trim();
  const isTrimmed = attribute === undefined && option.text !== text;
  const index = isSelected ? selectedIndex : enabledIndex;
  const value = attribute ?? text;
  return {
    name: select.name,
    value,
    text,
    at: start +
      (attribute === undefined
        ? tag.length + option.text.length - option.text.trimStart().length
        : VALUE.exec(tag)?.[0].length ?? 0),
    extractor: {
      type: "css",
      expression: attributeSelector("select", "name", select.name) +
        (isSelected ? " option[selected]" : " option:not([disabled])"),
      ...(attribute !== undefined && { attribute: "value" }),
      ...(index > 0 && { index }),
      ...(isTrimmed && { transform: ["trim"] }),
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
    ([least, most], one) => [Math.min(least, one), Math.max(most, one)],
    [Infinity, 0],
  );
  return least <= 1 && most <= 2 * numbers.length;
}
