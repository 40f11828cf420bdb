import { escapedRuns, undoEscapes } from "../../base/string_escapes.ts";
import type { Candidate, Located } from "./candidate.ts";
import type { Draft } from "./draft.ts";
import { type HtmlField, htmlFields } from "./html_fields.ts";
import type { RequestValues } from "./request_values.ts";
import { boundaryAround } from "./boundary_expression.ts";
import type { Found, ValueIndex } from "./value_index.ts";

/**
 * Gives the values of a body that is not JSON which requests send: those of form inputs and meta tags
 * by selector, all others (script text, links, XML) by what stands around them. `sought` holds the
 * values of `sent.sought`. Returns false if the page exceeds a limit, so that its inputs and meta tags
 * were not read.
 */
export function htmlCandidates(
  producer: Draft,
  text: string,
  sent: RequestValues,
  sought: ValueIndex,
  give: (candidate: Candidate) => void,
): boolean {
  const { mimeType } = producer.exchange.response;
  const found = (value: string, key: string, locate: () => Located) =>
    give({ value, key, source: "html", by: "use", numeric: false, producer, locate });
  const isWanted = (value: string) => sent.sought.has(value) || sent.shortIds.has(value);
  const read = mimeType.includes("html") ? htmlFields(text, isWanted) : [];
  const fields = read ?? [];
  for (const field of fields) found(field.value, field.name, () => selector(field));
  const selected = new Set(fields.map(({ value }) => value));
  for (const { value, start, end, escaped } of standingIn(text, sought)) {
    if (selected.has(value) || !sent.sought.get(value)?.sure) continue;
    selected.add(value);
    const around = boundaryAround(text, start, end - start);
    if (around === undefined) continue;
    const { key, left, right } = around;
    const located = { type: "boundary", left, right } as const;
    found(value, key, () => escaped ? { ...located, transform: ["json_decode"] } : located);
  }
  return read !== undefined;
}

/** A value in a text, which may write it with the escapes of a string literal. */
interface Standing extends Found {
  readonly escaped: boolean;
}

/** Escaped ones first: `ab\\` would be taken for the value `ab\` as it stands. */
function standingIn(text: string, sought: ValueIndex): Standing[] {
  const plain = sought.find(text).map((found) => ({ ...found, escaped: false }));
  return text.includes("\\") ? [...escapedIn(text, sought), ...plain] : plain;
}

/** The values that script text writes with escapes such as `\/`, `\u003d` or `\\`. */
function escapedIn(text: string, sought: ValueIndex): Standing[] {
  const found: Standing[] = [];
  for (const [at, until] of escapedRuns(text)) {
    const { value: meant, offsets } = undoEscapes(text.slice(at, until));
    for (const { value, start, end } of sought.find(meant)) {
      const standing = { value, start: at + offsets[start], end: at + offsets[end], escaped: true };
      if (text.slice(standing.start, standing.end) !== value) found.push(standing);
    }
  }
  return found;
}

function selector({ tag, by, name, attribute, index }: HtmlField): Located {
  const quoted = name.replace(/["\\]/g, "\\$&").replace(
    /[\n\r\f]/g,
    (c) => `\\${c.charCodeAt(0).toString(16)} `,
  );
  const located = { type: "css", expression: `${tag}[${by}="${quoted}"]`, attribute } as const;
  return index === 0 ? located : { ...located, index };
}
