import { Parser } from "htmlparser2";
import { MarkupError, MarkupLimits } from "../../extract/markup_limits.ts";
import { urlShape, withoutValues } from "./value_free_text.ts";

/** A form on a page. */
export interface Form {
  /** HTTP method in upper case. */
  readonly method: string;
  /** URL to which the form is sent. Empty if the form has no `action`. */
  readonly action: string;
}

/** The parts of a page or an XML document that do not vary between responses of the same kind. */
export interface MarkupOutline {
  /**
   * Title without the text that a server could have generated (see `withoutValues`). Empty if the
   * page has no title.
   */
  readonly title: string;
  /** Forms, keyed by their method and the shape of their action URL (see `urlShape`). */
  readonly forms: ReadonlyMap<string, Form>;
  /** Names of form fields, with `#` in place of everything that a server could have generated. */
  readonly fields: ReadonlySet<string>;
  /**
   * True if the page shows text that contains a word. The title, scripts and comments do not count.
   */
  readonly hasText: boolean;
  /** Names of all elements. */
  readonly elements: ReadonlySet<string>;
  /**
   * For each path of elements in an XML document, such as `list/item/name`: the maximum number of
   * elements with this path in one parent element. Empty for pages.
   */
  readonly paths: ReadonlyMap<string, number>;
}

/** Names of the elements whose text is not part of what a page shows. */
export const HIDDEN: ReadonlySet<string> = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "title",
]);

/** Matches letters that are probably a word, in any language. */
const WORD = /\p{L}{2}|\p{Lo}/u;

const FIELDS = new Set(["input", "select", "textarea", "button"]);

/**
 * Reads the outline of a page, or of an XML document if `xml` is true. Returns undefined if the
 * text exceeds one of the `MarkupLimits`.
 */
export function outlineMarkup(text: string, xml: boolean): MarkupOutline | undefined {
  const forms = new Map<string, Form>();
  const fields = new Set<string>();
  const elements = new Set<string>();
  const paths = new Map<string, number>();
  /** The open elements of an XML document, each with its number of children so far by name. */
  const open: { readonly path: string; readonly children: Map<string, number> }[] = [];
  const limits = new MarkupLimits();
  let title = "";
  let inTitle = false;
  let graphics = 0;
  /** Number of open elements whose text is not shown. */
  let hidden = 0;
  let hasText = false;
  const parser = new Parser({
    onopentag(tag, attributes) {
      limits.open();
      limits.add();
      elements.add(tag);
      if (xml) {
        const parent = open.at(-1);
        const count = (parent?.children.get(tag) ?? 0) + 1;
        parent?.children.set(tag, count);
        const path = parent === undefined ? tag : `${parent.path}/${tag}`;
        paths.set(path, Math.max(count, paths.get(path) ?? 0));
        open.push({ path, children: new Map() });
      }
      if (tag === "svg") graphics++;
      if (HIDDEN.has(tag)) hidden++;
      if (tag === "title") inTitle = graphics === 0 && title === "";
      if (tag === "form") {
        const action = attributes.action ?? "";
        const method = (attributes.method || "get").toUpperCase();
        forms.set(`${method} ${urlShape(action)}`, { method, action });
      }
      if (FIELDS.has(tag) && attributes.name) fields.add(withoutValues(attributes.name));
    },
    ontext(data) {
      if (inTitle) title += data;
      hasText ||= hidden === 0 && WORD.test(data);
    },
    onclosetag(tag) {
      limits.close();
      open.pop();
      if (tag === "svg") graphics--;
      if (HIDDEN.has(tag)) hidden--;
      if (tag === "title") inTitle = false;
    },
  }, { xmlMode: xml });
  try {
    parser.end(text);
  } catch (error) {
    if (error instanceof MarkupError) return undefined;
    throw error;
  }
  // Ignore the number of values, because a title that was made unique contains an additional one.
  const shape = withoutValues(title).replaceAll("#", " ").replace(/\s+/g, " ").trim();
  return { title: shape, forms, fields, hasText, elements, paths };
}
