import { Parser } from "htmlparser2";
import type { NamelessExtractor } from "./extractors.ts";
import { MarkupError, MarkupLimits } from "./parse_html.ts";

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
 * import { findDefaultOptions } from "./default_options.ts";
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
