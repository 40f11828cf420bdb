import { Parser } from "htmlparser2";
import { withoutValues } from "../correlation/value_free_text.ts";
import { MarkupError, MarkupLimits } from "../extract/parse_html.ts";
import { urlShape } from "./shapes.ts";

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

/** Text that a page shows. */
export interface VisibleText {
  readonly text: string;
  /**
   * Names of the elements that contain the text, such as `html/body/p`, outermost first. Long names
   * are truncated, and names after the first 1,000 characters are omitted.
   */
  readonly path: string;
  /** True if an element that contains the text indicates an error. */
  readonly inError: boolean;
}

/** A page or an XML document as comparisons read it. */
export interface ReadMarkup extends MarkupOutline {
  /** Each piece of text, in document order. Omits scripts, styles and the title. */
  readonly texts: readonly VisibleText[];
  /** True if the text exceeds one of the `MarkupLimits`, so that its end was not read. */
  readonly isCut: boolean;
}

/** Names of the elements whose text is not part of what a page shows. */
const HIDDEN: ReadonlySet<string> = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "title",
]);

const ERROR_CLASS =
  /(?:^|[\s_-])(?:error|errors|danger|invalid|errorlist|alert-warning)(?:$|[\s_-])/i;
/** Maximum length of an element name in a path, in UTF-16 code units. */
const LONGEST_NAME = 40;
/** Path length, in UTF-16 code units, beyond which no more element names are appended. */
const LONGEST_PATH = 1_000;

/** Matches letters that are probably a word, in any language. */
const WORD = /\p{L}{2}|\p{Lo}/u;

const FIELDS = new Set(["input", "select", "textarea", "button"]);

interface OpenElement extends Omit<VisibleText, "text"> {
  readonly hides: boolean;
  /** Names of the element and those that contain it, not truncated. Empty in pages. */
  readonly xmlPath: string;
  /** Number of children so far, by name. */
  readonly children: Map<string, number>;
}

/**
 * Reads the outline of a page, or of an XML document if `xml` is true. Returns undefined if the
 * text exceeds one of the `MarkupLimits`.
 */
export function readOutline(text: string, xml: boolean): MarkupOutline | undefined {
  const markup = readMarkup(text, xml);
  return markup.isCut ? undefined : markup;
}

/** Reads a page, or an XML document if `xml` is true, up to the first markup limit. */
export function readMarkup(text: string, xml: boolean): ReadMarkup {
  const forms = new Map<string, Form>();
  const fields = new Set<string>();
  const elements = new Set<string>();
  const paths = new Map<string, number>();
  const texts: VisibleText[] = [];
  const open: OpenElement[] = [];
  const limits = new MarkupLimits();
  let title = "";
  let inTitle = false;
  let graphics = 0;
  let hasText = false;
  let isCut = false;
  const parser = new Parser({
    onopentag(tag, attributes) {
      limits.open();
      limits.add();
      elements.add(tag);
      const parent = open.at(-1);
      open.push({
        path: pathOf(tag.slice(0, LONGEST_NAME), parent?.path),
        hides: HIDDEN.has(tag) || parent?.hides === true,
        inError: tag === "error" || ERROR_CLASS.test(attributes.class ?? "") ||
          parent?.inError === true,
        xmlPath: xml ? countElement(tag, parent, paths) : "",
        children: new Map(),
      });
      if (tag === "svg") graphics++;
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
      const { path = "", hides = false, inError = false } = open.at(-1) ?? {};
      if (hides) return;
      hasText ||= WORD.test(data);
      const text = data.replace(/\s+/g, " ").trim();
      if (text.length > 1) texts.push({ text, path, inError });
    },
    onclosetag(tag) {
      limits.close();
      open.pop();
      if (tag === "svg") graphics--;
      if (tag === "title") inTitle = false;
    },
  }, { xmlMode: xml });
  try {
    parser.end(text);
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    isCut = true;
  }
  // Ignore the number of values, because a title that was made unique contains an additional one.
  const shape = withoutValues(title).replaceAll("#", " ").replace(/\s+/g, " ").trim();
  return { title: shape, forms, fields, hasText, elements, paths, texts, isCut };
}

function countElement(
  tag: string,
  parent: OpenElement | undefined,
  paths: Map<string, number>,
): string {
  const count = (parent?.children.get(tag) ?? 0) + 1;
  parent?.children.set(tag, count);
  const path = parent === undefined ? tag : `${parent.xmlPath}/${tag}`;
  paths.set(path, Math.max(count, paths.get(path) ?? 0));
  return path;
}

function pathOf(name: string, parent: string | undefined): string {
  if (parent === undefined) return name;
  return parent.length > LONGEST_PATH ? parent : `${parent}/${name}`;
}
