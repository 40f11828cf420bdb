import type { Candidate, Located } from "./candidate.ts";
import type { Draft } from "./draft.ts";
import { type HtmlField, htmlFields } from "./html_fields.ts";
import type { Sent } from "./sent.ts";
import { boundaryAround } from "./boundary.ts";
import type { ValueIndex } from "./value_index.ts";

/**
 * Gives the values of a body that is not JSON which requests send: those of form inputs and meta tags
 * by selector, all others (script text, links, XML) by what stands around them. `sought` holds the
 * values of `sent.sought`.
 */
export function htmlCandidates(
  producer: Draft,
  text: string,
  sent: Sent,
  sought: ValueIndex,
  give: (candidate: Candidate) => void,
): void {
  const { mimeType } = producer.exchange.response;
  const found = (value: string, key: string, locate: () => Located) =>
    give({ value, key, source: "html", by: "use", numeric: false, producer, locate });
  const fields = mimeType.includes("html") ? htmlFields(text, (v) => sent.sought.has(v)) : [];
  for (const field of fields) found(field.value, field.name, () => selector(field));
  const selected = new Set(fields.map(({ value }) => value));
  for (const { value, start } of sought.find(text)) {
    if (selected.has(value) || !sent.sought.get(value)?.sure) continue;
    selected.add(value);
    const around = boundaryAround(text, start, value.length);
    if (around) {
      found(
        value,
        around.key,
        () => ({ type: "boundary", left: around.left, right: around.right }),
      );
    }
  }
}

function selector({ tag, by, name, attribute, index }: HtmlField): Located {
  const quoted = name.replace(/["\\]/g, "\\$&").replace(
    /[\n\r\f]/g,
    (c) => `\\${c.charCodeAt(0).toString(16)} `,
  );
  const located = { type: "css", expression: `${tag}[${by}="${quoted}"]`, attribute } as const;
  return index === 0 ? located : { ...located, index };
}
