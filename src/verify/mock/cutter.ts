import { escapedRuns, undoEscapes } from "../../base/string_escapes.ts";
import { isShortNumber, nameHint } from "../../traffic/session/dynamic_value.ts";
import { forEachToken, SHORTEST_WITHIN, ValueIndex } from "../../traffic/session/value_index.ts";
import { VALUE_ENCODINGS } from "../session/value_encodings.ts";

/**
 * Minimum length of a value in free text, in UTF-16 units. Shorter values are found only as JSON leaves
 * or attributes.
 */
const SHORTEST_TOKEN = 4;
const SHORT_ATTRIBUTE = /=\s*(["']?)(\d{1,3})\1(?=[\s/>])/g;
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*|[{}[\]]/gs;

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly placeholder: Placeholder;
}

/**
 * Splits recorded text at the values that the mock server regenerates, in any of their encodings.
 * Takes time linear in the length of the text.
 */
export class Cutter {
  readonly #values: ReadonlySet<string>;
  readonly #forms = new Map<string, Placeholder>();
  readonly #index = new ValueIndex();

  constructor(values: ReadonlySet<string>) {
    this.#values = values;
    for (const write of VALUE_ENCODINGS) {
      for (const rawValue of values) this.#addForm(write(rawValue), { rawValue, write });
    }
  }

  /**
   * Splits a header value or other short string. Finds a value that fills the whole string or, if
   * there is none, values of at least 8 UTF-16 units within it.
   */
  whole(text: string): Template {
    return this.#values.has(text) ? [unencoded(text)] : cut(text, this.#longPieces(text));
  }

  /**
   * Splits free text at values that are words of at least four characters, and at shorter numbers in
   * attributes.
   */
  text(text: string): Template {
    return cut(text, [
      ...this.#escapedPieces(text),
      ...this.#longPieces(text),
      ...this.#shortPieces(text),
      ...this.#attributes(text),
    ]);
  }

  /**
   * Splits JSON text at values that are leaves, and at values of at least 8 UTF-16 units within leaves.
   */
  json(text: string): Template {
    const template: (string | Placeholder)[] = [];
    const around: string[] = [];
    let key = "";
    let done = 0;
    for (const { 0: token, 1: colon, index } of text.matchAll(JSON_TOKEN)) {
      if (token === "{" || token === "[") around.push(key);
      else if (token === "}" || token === "]") key = around.pop() ?? "";
      else if (colon !== undefined) key = JSON.parse(token.slice(0, -colon.length));
      else {
        const leaf = this.#leaf(token, key);
        if (leaf === undefined) continue;
        template.push(text.slice(done, index), ...leaf);
        done = index + token.length;
      }
    }
    return [...template, text.slice(done)];
  }

  #leaf(token: string, key: string): Template | undefined {
    const isText = token[0] === '"';
    const value = isText ? JSON.parse(token) as string : token;
    const known = this.#values.has(value) && (!isShortNumber(value) || nameHint(key).idLike);
    if (!isText) return known ? [unencoded(value)] : undefined;
    const template = known ? [unencoded(value)] : cut(value, this.#longPieces(value));
    if (template.length === 1 && typeof template[0] === "string") return undefined;
    return ['"', ...template.map(inJson), '"'];
  }

  #addForm(form: string, placeholder: Placeholder): void {
    if (form.length < SHORTEST_WITHIN || this.#forms.has(form)) return;
    this.#forms.set(form, placeholder);
    this.#index.add(form);
  }

  #longPieces(text: string): Piece[] {
    return this.#index.find(text).map(({ value, start, end }) => ({
      start,
      end,
      placeholder: this.#forms.get(value)!,
    }));
  }

  /**
   * Finds values that the text contains in escaped form, as in a string literal, such as `\/` or
   * `\u003d`.
   */
  #escapedPieces(text: string): Piece[] {
    return [...escapedRuns(text)].flatMap(([at, until]) => {
      const { value: unescaped, offsets } = undoEscapes(text.slice(at, until));
      return this.#longPieces(unescaped).filter(({ start, end }) =>
        text.slice(at + offsets[start], at + offsets[end]) !== unescaped.slice(start, end)
      ).map(({ start, end, placeholder }) => ({
        start: at + offsets[start],
        end: at + offsets[end],
        placeholder: {
          ...placeholder,
          write: (value: string) => escaped(placeholder.write(value)),
        },
      }));
    });
  }

  #attributes(text: string): Piece[] {
    return [...text.matchAll(SHORT_ATTRIBUTE)].filter(([, , value]) => this.#values.has(value))
      .map(({ 0: all, 1: quote, 2: value, index }) => {
        const end = index + all.length - quote.length;
        return { start: end - value.length, end, placeholder: unencoded(value) };
      });
  }

  #shortPieces(text: string): Piece[] {
    const pieces: Piece[] = [];
    forEachToken(text, (start, end) => {
      if (end - start < SHORTEST_TOKEN || end - start >= SHORTEST_WITHIN) return;
      const value = text.slice(start, end);
      if (this.#values.has(value)) pieces.push({ start, end, placeholder: unencoded(value) });
    });
    return pieces;
  }
}

/** Writes every character except ASCII letters and digits as `\uXXXX`, for a string literal. */
function escaped(text: string): string {
  return text.replace(
    /[^A-Za-z0-9]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

function unencoded(rawValue: string): Placeholder {
  return { rawValue, write: VALUE_ENCODINGS[0] };
}

/**
 * Splits `text` at the given pieces. If pieces overlap, the one that starts first wins, then the
 * longest.
 */
function cut(text: string, pieces: readonly Piece[]): Template {
  const template: (string | Placeholder)[] = [];
  let done = 0;
  for (
    const { start, end, placeholder } of pieces.toSorted((a, b) =>
      a.start - b.start || b.end - a.end
    )
  ) {
    if (start < done) continue;
    if (start > done) template.push(text.slice(done, start));
    template.push(placeholder);
    done = end;
  }
  if (done < text.length || template.length === 0) template.push(text.slice(done));
  return template;
}

function inJson(piece: string | Placeholder): string | Placeholder {
  const escape = (text: string) => JSON.stringify(text).slice(1, -1);
  if (typeof piece === "string") return escape(piece);
  return { rawValue: piece.rawValue, write: (value) => escape(piece.write(value)) };
}

/** A placeholder for a regenerated value in recorded text. */
export interface Placeholder {
  /** The recorded value without encoding. */
  readonly rawValue: string;
  /** Encodes a value in the same way as the recorded text encodes `rawValue`. */
  write(value: string): string;
}

/** Recorded text with placeholders for regenerated values. */
export type Template = readonly (string | Placeholder)[];

/**
 * Returns the text of a template. `valueOf` returns the value to write in place of a recorded value.
 */
export function fill(template: Template, valueOf: (rawValue: string) => string): string {
  return template.map((piece) =>
    typeof piece === "string" ? piece : piece.write(valueOf(piece.rawValue))
  ).join("");
}

/** Lists the recorded values of a template's placeholders. */
export function recordedValues(template: Template): string[] {
  return template.flatMap((piece) => typeof piece === "string" ? [] : [piece.rawValue]);
}
