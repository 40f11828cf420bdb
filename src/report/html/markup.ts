import { safeText } from "../../base/safe_text.ts";

/** Trusted HTML that is inserted into a page without escaping. */
export class Markup {
  readonly text: string;

  /** Wraps trusted HTML. The caller must escape recorded text first. */
  constructor(text: string) {
    this.text = text;
  }
}

/** A value in an HTML template. Undefined is rendered as nothing. */
export type Content = Markup | string | number | undefined | readonly Content[];

/**
 * Template tag for HTML. Escapes every value that is not `Markup`. Removes the indentation of each line
 * of the template, and the line breaks at its start and end.
 *
 * The tag is not called `html`, because `deno fmt` would then break lines within tags and attributes.
 */
export function markup(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: unindented(parts) }, ...contents.map(written)));
}

const UNINDENTED = new WeakMap<TemplateStringsArray, readonly string[]>();

function unindented(parts: TemplateStringsArray): readonly string[] {
  const known = UNINDENTED.get(parts);
  if (known !== undefined) return known;
  const texts = parts.map((part) => part.replace(/\n\s*/g, "\n"));
  texts[0] = texts[0].replace(/^\n/, "");
  const last = texts.length - 1;
  texts[last] = texts[last].replace(/\n$/, "");
  UNINDENTED.set(parts, texts);
  return texts;
}

function written(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.text;
  if (Array.isArray(content)) return content.map(written).join("");
  return escape(safeText(String(content)));
}

/** Escapes text of several lines and makes each line safe. */
export function lines(text: string): Markup {
  return new Markup(text.split(/\r?\n/).map((line) => escape(safeText(line))).join("\n"));
}

/** Serializes JSON for a script element: no text in it can close the element. */
export function jsonMarkup(value: unknown): Markup {
  const text = JSON.stringify(value);
  return new Markup(
    text.replace(
      /[<>&\u2028\u2029]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => ENTITIES[c]);
}
