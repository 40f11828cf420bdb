import { Parser } from "htmlparser2";
import { MarkupError, MarkupLimits } from "../../extract/markup_limits.ts";

/** A form input or meta tag whose value is wanted. */
export interface HtmlField {
  readonly tag: "input" | "meta";
  /** The attribute that names it. */
  readonly by: "name" | "id" | "property";
  readonly name: string;
  /** The attribute that holds the value. */
  readonly attribute: "value" | "content";
  readonly value: string;
  /** Place among the tags of that name, from 0. */
  readonly index: number;
}

const VALUE = /(?:value|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi;

/**
 * Returns the named inputs and meta tags of a page whose value is wanted, entities decoded; undefined
 * for a page that exceeds a limit, from which a run cannot extract either.
 */
export function htmlFields(
  html: string,
  wanted: (value: string) => boolean,
): HtmlField[] | undefined {
  if (!mayHold(html, wanted)) return [];
  const fields: HtmlField[] = [];
  const seen = new Map<string, number>();
  const limits = new MarkupLimits();
  const parser = new Parser({
    onclosetag: () => limits.close(),
    onopentag(tag, attributes) {
      limits.open();
      limits.add();
      if (tag !== "input" && tag !== "meta") return;
      const by = (["name", "id", "property"] as const).find((name) => attributes[name]);
      if (by === undefined) return;
      const name = attributes[by];
      const key = `${tag} ${by} ${name}`;
      const index = seen.get(key) ?? 0;
      seen.set(key, index + 1);
      const attribute = tag === "input" ? "value" : "content";
      const value = attributes[attribute];
      if (value !== undefined && wanted(value)) {
        fields.push({ tag, by, name, attribute, value, index });
      }
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (error instanceof MarkupError) return undefined;
    throw error;
  }
  return fields;
}

/** A cheap look before the page is parsed: whether any attribute could hold a wanted value. */
function mayHold(html: string, wanted: (value: string) => boolean): boolean {
  for (const [, double, single, bare] of html.matchAll(VALUE)) {
    const value = double ?? single ?? bare;
    if (wanted(value) || (value.includes("&") && !value.includes(" "))) return true;
  }
  return false;
}
