import { Parser } from "htmlparser2";
import { MarkupError, MarkupLimits } from "../../extract/markup_limits.ts";

/** A form input or meta tag with a value that requests send. */
export interface HtmlField {
  readonly tag: "input" | "meta";
  /** The attribute that selects the tag. */
  readonly by: "name" | "id" | "property";
  readonly name: string;
  /** The attribute that contains the value. */
  readonly attribute: "value" | "content";
  readonly value: string;
  /** Index among the tags with the same tag, selecting attribute and name, from 0. */
  readonly index: number;
}

const VALUE = /(?:value|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi;

/**
 * Returns the named inputs and meta tags whose value, with entities decoded, satisfies `wanted`. Returns
 * undefined for a page that exceeds a markup limit, because a run cannot extract from it either.
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

/** Prefilter without parsing: reports whether an attribute may contain a wanted value. */
function mayHold(html: string, wanted: (value: string) => boolean): boolean {
  for (const [, double, single, bare] of html.matchAll(VALUE)) {
    const value = double ?? single ?? bare;
    if (wanted(value) || (value.includes("&") && !value.includes(" "))) return true;
  }
  return false;
}
