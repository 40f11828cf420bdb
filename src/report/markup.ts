import { safeText } from "../base/safe_text.ts";

/** Trusted HTML. Templates insert it without escaping. */
export class Markup {
  readonly text: string;

  /** Marks HTML as trusted. The caller must have escaped all recorded text in it. */
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | undefined | readonly Content[];

/**
 * Template tag for HTML. Escapes every value that is not `Markup`. Removes the indentation of all
 * lines of the template, and the line breaks at its start and end.
 *
 * The tag is not named `html`, because `deno fmt` would format the template and break lines within
 * HTML tags and attributes.
 */
export function markup(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: unindented(parts) }, ...contents.map(render)));
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

function render(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.text;
  if (Array.isArray(content)) return content.map(render).join("");
  return escape(safeText(String(content)));
}

/** Escapes text and renders parts in backticks as code. */
export function codeSpans(text: string): Markup {
  const parts = text.split(/`([^`]+)`/);
  return markup`${parts.map((part, i) => i % 2 === 0 ? part : markup`<code>${part}</code>`)}`;
}

/** Escapes text and keeps its line breaks. */
export function lines(text: string): Markup {
  return new Markup(text.split(/\r?\n/).map((line) => escape(safeText(line))).join("\n"));
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
