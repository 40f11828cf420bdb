import { Parser } from "htmlparser2";
import type { ReadBody } from "../correlation/compared_response.ts";
import { withoutValues } from "../correlation/value_free_text.ts";
import { MarkupError, MarkupLimits } from "../extract/markup_limits.ts";
import { FAILED, stateWord } from "../traffic/session/outcome_words.ts";
import { difference, ifUnequal, nameDifference, type ResponseDifference } from "./difference.ts";
import { haveSameShape, urlShape } from "./url_shape.ts";
import { HIDDEN, markupTexts } from "./visible_texts.ts";

/** Matches the start tag of an element that only a whole page contains. */
const DOCUMENT = /<(?:html|body)\b/i;

/** Compares two pages. */
export function comparePages(recorded: ReadBody, live: ReadBody): ResponseDifference[] {
  const page = outlineMarkup(recorded.text, false);
  const livePage = outlineMarkup(live.text, false);
  if (page === undefined || livePage === undefined) return [];
  // An update of a part of a page can be empty because a list has no items.
  const hasLostText = page.hasText && !livePage.hasText && DOCUMENT.test(recorded.text);
  return [
    ...(hasLostText ? [difference("empty-body", "with text", "without text")] : []),
    ...ifUnequal("title", page.title, livePage.title),
    ...compareForms(page.forms, livePage.forms),
    ...nameDifference("form-field", page.fields, livePage.fields),
    ...compareScripts(recorded.text, live.text),
  ];
}

/**
 * Compares the forms of two pages. Forms count as the same if they have the same method and action
 * URLs of the same shape (see `haveSameShape`).
 */
function compareForms(
  forms: MarkupOutline["forms"],
  liveForms: MarkupOutline["forms"],
): ResponseDifference[] {
  const added = [...liveForms].filter(([shape]) => !forms.has(shape));
  const missing = [...forms].filter(([shape]) => !liveForms.has(shape));
  const isSame = (form: Form, other: Form) =>
    form.method === other.method && haveSameShape(form.action, other.action);
  const unpaired = (list: typeof added, others: typeof added) =>
    new Set(
      list.filter(([, form]) => !others.some(([, other]) => isSame(form, other)))
        .map(([shape]) => shape),
    );
  return nameDifference("form", unpaired(missing, added), unpaired(added, missing));
}

/** Compares two XML documents. */
export function compareXml(recorded: ReadBody, live: ReadBody): ResponseDifference[] {
  const document = outlineMarkup(recorded.text, true);
  const liveDocument = outlineMarkup(live.text, true);
  if (document === undefined || liveDocument === undefined) return [];
  const lists = resizedLists(document.paths, liveDocument.paths);
  return nameDifference(
    "element",
    namesOutside(lists, document.paths),
    namesOutside(lists, liveDocument.paths),
  );
}

/**
 * Returns the paths of the items in lists whose lengths differ between the two documents. Ignores
 * lists that are empty in either document.
 */
function resizedLists(
  paths: ReadonlyMap<string, number>,
  livePaths: ReadonlyMap<string, number>,
): string[] {
  return [...paths].filter(([path, count]) => {
    const liveCount = livePaths.get(path) ?? 0;
    return liveCount !== 0 && liveCount !== count;
  }).map(([path]) => path);
}

const FAULT = /error|fault|exception/i;

/**
 * Returns the names of the elements outside the items of the lists, and of all elements that
 * describe an error. `lists` contains the paths of the items. Other elements within items are
 * ignored, because they vary with the data: a longer list may have items with additional elements.
 */
function namesOutside(
  lists: readonly string[],
  paths: ReadonlyMap<string, number>,
): Set<string> {
  const names = [...paths.keys()].filter((path) =>
    !lists.some((list) => path.startsWith(`${list}/`))
  )
    .concat([...paths.keys()].filter((path) => FAULT.test(path)))
    .map((path) => path.slice(path.lastIndexOf("/") + 1));
  return new Set(names);
}

const SCRIPT_START = /<script\b[^<>]*>/i;
const SCRIPT_END = /<\/script/i;
const SHORT_STRING = /(["'])([A-Za-z][A-Za-z _-]{1,20})\1/g;
const FAILURE: ReadonlySet<string> = new Set(FAILED);

/**
 * Compares pages that show no text and only run scripts, such as responses in a hidden frame. If
 * the live scripts contain a string that states a failure, such as `"error"`, and the recorded ones
 * do not, returns this difference.
 */
export function compareScripts(page: string, livePage: string): ResponseDifference[] {
  const known = failuresIn(page);
  const more = [...failuresIn(livePage)].filter((word) => !known.has(word));
  if (more.length === 0 || showsText(page) || showsText(livePage)) return [];
  return [difference("script", "", more.join(", "))];
}

function failuresIn(page: string): Set<string> {
  const scripts = page.split(SCRIPT_START).slice(1).map((rest) => rest.split(SCRIPT_END, 1)[0]);
  const words = scripts.flatMap((script) =>
    Array.from(script.matchAll(SHORT_STRING), ([, , text]) => text)
  );
  return new Set(words.filter((word) => FAILURE.has(stateWord(word))));
}

function showsText(page: string): boolean {
  return markupTexts(page, false).length > 0;
}

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
