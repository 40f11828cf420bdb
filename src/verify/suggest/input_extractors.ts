import type { Exchange } from "../../traffic/har/recording.ts";
import type { Proposal } from "./proposal.ts";

/** Attributes that contain values. */
const VALUES = ["value", "content", "href", "action", "src"] as const;
/** Attributes that identify an element. */
const NAMES = ["name", "id", "property"] as const;

/** Number of UTF-16 code units around a value that are searched for its tag. */
const AROUND = 2_000;

/**
 * Proposes CSS selectors for a value in an attribute of an HTML element. They select the element by
 * its attribute `name`, `id` or `property`.
 */
export function* inputExtractors(value: string, { response }: Exchange): Generator<Proposal> {
  const { text, mimeType } = response;
  if (text === undefined || !/html|xml/.test(mimeType)) return;
  const written = value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + 1)) {
    const before = text.slice(Math.max(0, at - AROUND), at);
    const after = text.slice(at, at + AROUND);
    const tag = /<[a-z][\w-]*\s[^<>]*$/i.exec(before)?.[0];
    if (tag === undefined) continue;
    const whole = tag + (/^[^<>]*/.exec(after)?.[0] ?? "");
    const attribute = VALUES.find((name) => new RegExp(`\\s${name}\\s*=\\s*["']?$`, "i").test(tag));
    if (attribute === undefined) continue;
    const element = /^<([a-z][\w-]*)/i.exec(tag)![1].toLowerCase();
    for (const by of NAMES) {
      const naming = new RegExp(`\\s${by}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, "i");
      const [, double, single, bare] = naming.exec(whole) ?? [];
      const name = double ?? single ?? bare;
      if (!name || /\d{4}/.test(name)) continue;
      const expression = `${element}[${by}="${name.replace(/["\\]/g, "\\$&")}"]`;
      yield { name, extractor: { type: "css", expression, attribute } };
    }
  }
}
