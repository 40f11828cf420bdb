import { type AnyNode, type Document, type Element, isTag } from "domhandler";
import * as domutils from "domutils";
import type { ParsedHtml } from "./parse_html.ts";

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
