import { safeText } from "../../base/safe_text.ts";

/** HTML that may stand in a page as it is. */
export class Markup {
  readonly text: string;

  /** `text` is trusted: whoever makes one from recorded text escapes it first. */
  constructor(text: string) {
    this.text = text;
  }
}

/** What a template of HTML can hold; nothing stands for what is left out. */
export type Content = Markup | string | number | undefined | readonly Content[];

/** A template of HTML: what stands in it is text, and escaped, unless it is markup itself. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...contents.map(written)));
}

function written(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.text;
  if (Array.isArray(content)) return content.map(written).join("");
  return escape(safeText(String(content)));
}

/** Text of several lines, each made safe. */
export function lines(text: string): Markup {
  return new Markup(text.split(/\r?\n/).map((line) => escape(safeText(line))).join("\n"));
}

/** JSON that can stand in a script element: nothing in it ends the element. */
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
