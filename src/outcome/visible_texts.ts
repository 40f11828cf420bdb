import { Parser } from "htmlparser2";
import { MarkupError, MarkupLimits } from "../extract/markup_limits.ts";

/** Names of the elements whose text is not part of what a page shows. */
export const HIDDEN: ReadonlySet<string> = new Set([
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

/**
 * Returns each piece of text in a page, or in an XML document if `xml` is true, in document order.
 * Omits scripts, styles and the title. If the document exceeds a markup limit, omits all text after
 * that point.
 */
export function markupTexts(markup: string, xml: boolean): VisibleText[] {
  const texts: VisibleText[] = [];
  const limits = new MarkupLimits();
  const open: Omit<VisibleText & { readonly hides: boolean }, "text">[] = [];
  const parser = new Parser({
    onopentag(tag, attributes) {
      limits.open();
      limits.add();
      const parent = open.at(-1);
      open.push({
        path: pathOf(tag.slice(0, LONGEST_NAME), parent?.path),
        hides: HIDDEN.has(tag) || parent?.hides === true,
        inError: tag === "error" || ERROR_CLASS.test(attributes.class ?? "") ||
          parent?.inError === true,
      });
    },
    ontext(data) {
      const text = data.replace(/\s+/g, " ").trim();
      const parent = open.at(-1);
      if (text.length > 1 && !parent?.hides) {
        texts.push({ text, path: parent?.path ?? "", inError: parent?.inError === true });
      }
    },
    onclosetag() {
      limits.close();
      open.pop();
    },
  }, { xmlMode: xml });
  try {
    parser.end(markup);
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
  }
  return texts;
}

function pathOf(name: string, parent: string | undefined): string {
  if (parent === undefined) return name;
  return parent.length > LONGEST_PATH ? parent : `${parent}/${name}`;
}
