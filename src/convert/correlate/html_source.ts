import { escapedRuns, undoEscapes } from "../../base/string_escapes.ts";
import type { Candidate, Located } from "./candidate.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { type HtmlField, htmlFields } from "./html_fields.ts";
import type { RequestValues } from "./request_values.ts";
import { boundaryAround } from "./boundary_expression.ts";
import type { Found, ValueIndex } from "../../traffic/session/value_index.ts";

/**
 * Passes to `add` the values of a non-JSON body that requests send. Locates form inputs and meta tags by
 * selector, and other values (script text, links, XML) by the text around them. `sought` must index the
 * values of `sent.sought`. Returns false if the page exceeds a markup limit, so that its inputs and meta
 * tags were not read.
 */
export function htmlCandidates(
  producer: RecordedCall,
  text: string,
  sent: RequestValues,
  sought: ValueIndex,
  add: (candidate: Candidate) => void,
): boolean {
  const { mimeType } = producer.exchange.response;
  const found = (value: string, key: string, locate: () => Located) =>
    add({ value, key, source: "html", by: "use", numeric: false, producer, locate });
  const isWanted = (value: string) => sent.sought.has(value) || sent.shortIds.has(value);
  const read = mimeType.includes("html") ? htmlFields(text, isWanted) : [];
  const fields = read ?? [];
  for (const field of fields) found(field.value, field.name, () => selector(field));
  const selected = new Set(fields.map(({ value }) => value));
  for (const { value, start, end, escaped } of findOccurrences(text, sought)) {
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

/** An occurrence of a value in a text. */
interface Occurrence extends Found {
  /** True if the text contains the value with the escapes of a string literal. */
  readonly escaped: boolean;
}

/**
 * Finds the values in a text. Returns escaped occurrences first; otherwise `ab\\` would match the value
 * `ab\` unescaped.
 */
function findOccurrences(text: string, sought: ValueIndex): Occurrence[] {
  const plain = sought.find(text).map((found) => ({ ...found, escaped: false }));
  return text.includes("\\") ? [...findEscaped(text, sought), ...plain] : plain;
}

/** Finds the values that script text writes with escapes such as `\/`, `\u003d` or `\\`. */
function findEscaped(text: string, sought: ValueIndex): Occurrence[] {
  const found: Occurrence[] = [];
  for (const [at, until] of escapedRuns(text)) {
    const { value: unescaped, offsets } = undoEscapes(text.slice(at, until));
    for (const { value, start, end } of sought.find(unescaped)) {
      const occurrence = {
        value,
        start: at + offsets[start],
        end: at + offsets[end],
        escaped: true,
      };
      if (text.slice(occurrence.start, occurrence.end) !== value) found.push(occurrence);
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
