import type { Exchange } from "../../traffic/har/recording.ts";
import { withoutOverlaps } from "../../traffic/session/text_ranges.ts";
import type { RecordedSession } from "../session/recorded_session.ts";

/** A regenerated value in recorded text. */
export interface Placeholder {
  /** The recorded value without percent-encoding. */
  readonly value: string;
  /**
   * Identifies the recorded value: the value itself or, for a short id, NUL, the kind of the id,
   * NUL and the id.
   */
  readonly key: string;
  /** The recorded value as the text contains it. */
  readonly written: string;
}

/** Recorded text with placeholders for regenerated values. */
export type Template = readonly (string | Placeholder)[];

/**
 * Splits a string of an exchange's response at the values that the mock server regenerates. Takes
 * time linear in the length of the text.
 */
export function splitText(text: string, exchange: Exchange, session: RecordedSession): Template {
  const template: (string | Placeholder)[] = [];
  const values = session.origins.finder.find(text).map((found) => ({ ...found, key: found.value }));
  const ids = session.ids.find(text, exchange).map(({ start, end, key }) => ({
    value: text.slice(start, end),
    start,
    end,
    key,
  }));
  let done = 0;
  for (const { value, key, start, end } of withoutOverlaps([...values, ...ids])) {
    if (start > done) template.push(text.slice(done, start));
    template.push({ value, key, written: text.slice(start, end) });
    done = end;
  }
  if (done < text.length) template.push(text.slice(done));
  return template;
}

/**
 * Returns the text of a template. `valueOf` returns the value to write for a key. Percent-encodes
 * the value if the recorded text contains it percent-encoded.
 */
export function fillTemplate(template: Template, valueOf: (key: string) => string): string {
  return template.map((piece) => {
    if (typeof piece === "string") return piece;
    const value = valueOf(piece.key);
    return piece.written === piece.value ? value : encodeLike(value, piece);
  }).join("");
}

/** Percent-encodes a value as the recorded text does: completely, or only some separators. */
function encodeLike(value: string, { value: recorded, written }: Placeholder): string {
  if (written === encodeURIComponent(recorded.toWellFormed())) {
    return encodeURIComponent(value.toWellFormed());
  }
  const colon = /%3a/i.exec(written)?.[0];
  const plus = /%2b/i.exec(written)?.[0];
  let encoded = colon === undefined ? value : value.replaceAll(":", colon);
  if (plus !== undefined) encoded = encoded.replaceAll("+", plus);
  return written.includes("%20") ? encoded.replaceAll(" ", "%20") : encoded;
}
