import { escapedRuns, undoEscapes } from "../../base/string_escapes.ts";
import { isShortNumber, nameHint } from "../../traffic/session/dynamic_value.ts";
import { forEachToken, SHORTEST_WITHIN, ValueIndex } from "../../traffic/session/value_index.ts";
import { FORMS } from "../session/forms.ts";

/** Minimum length of a token in free text. Shorter values are found only as JSON leaves or attributes. */
const SHORTEST_TOKEN = 4;
const SHORT_ATTRIBUTE = /=\s*(["']?)(\d{1,3})\1(?=[\s/>])/g;
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*|[{}[\]]/gs;

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly hole: Hole;
}

/** Cuts texts at recorded values in any of their forms, in time linear in the text. */
export class Cutter {
  readonly #values: ReadonlySet<string>;
  readonly #forms = new Map<string, Hole>();
  readonly #index = new ValueIndex();

  constructor(values: ReadonlySet<string>) {
    this.#values = values;
    for (const write of FORMS) {
      for (const rawValue of values) this.#addForm(write(rawValue), { rawValue, write });
    }
  }

  /** Cuts a text that is a value, or that contains longer values as words. */
  whole(text: string): Template {
    return this.#values.has(text) ? [wholeHole(text)] : cut(text, this.#longPieces(text));
  }

  /** Cuts free text at values that are words of at least four characters, and at shorter numbers in attributes. */
  text(text: string): Template {
    return cut(text, [
      ...this.#escapedPieces(text),
      ...this.#longPieces(text),
      ...this.#shortPieces(text),
      ...this.#attributes(text),
    ]);
  }

  /** Cuts JSON text at values that are leaves, and at longer values within leaves. */
  json(text: string): Template {
    const template: (string | Hole)[] = [];
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
    if (!isText) return known ? [wholeHole(value)] : undefined;
    const template = known ? [wholeHole(value)] : cut(value, this.#longPieces(value));
    if (template.length === 1 && typeof template[0] === "string") return undefined;
    return ['"', ...template.map(inJson), '"'];
  }

  #addForm(form: string, hole: Hole): void {
    if (form.length < SHORTEST_WITHIN || this.#forms.has(form)) return;
    this.#forms.set(form, hole);
    this.#index.add(form);
  }

  #longPieces(text: string): Piece[] {
    return this.#index.find(text).map(({ value, start, end }) => ({
      start,
      end,
      hole: this.#forms.get(value)!,
    }));
  }

  /** Finds values that a script writes with escapes such as `\\/` or `\\u003d`. */
  #escapedPieces(text: string): Piece[] {
    return [...escapedRuns(text)].flatMap(([at, until]) => {
      const { value: unescaped, offsets } = undoEscapes(text.slice(at, until));
      return this.#longPieces(unescaped).filter(({ start, end }) =>
        text.slice(at + offsets[start], at + offsets[end]) !== unescaped.slice(start, end)
      ).map(({ start, end, hole }) => ({
        start: at + offsets[start],
        end: at + offsets[end],
        hole: { ...hole, write: (value: string) => escaped(hole.write(value)) },
      }));
    });
  }

  #attributes(text: string): Piece[] {
    return [...text.matchAll(SHORT_ATTRIBUTE)].filter(([, , value]) => this.#values.has(value))
      .map(({ 0: all, 1: quote, 2: value, index }) => {
        const end = index + all.length - quote.length;
        return { start: end - value.length, end, hole: wholeHole(value) };
      });
  }

  #shortPieces(text: string): Piece[] {
    const pieces: Piece[] = [];
    forEachToken(text, (start, end) => {
      if (end - start < SHORTEST_TOKEN || end - start >= SHORTEST_WITHIN) return;
      const value = text.slice(start, end);
      if (this.#values.has(value)) pieces.push({ start, end, hole: wholeHole(value) });
    });
    return pieces;
  }
}

/** Escapes every character except ASCII letters and digits for a string literal. */
function escaped(text: string): string {
  return text.replace(
    /[^A-Za-z0-9]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

function wholeHole(rawValue: string): Hole {
  return { rawValue, write: FORMS[0] };
}

/** Cuts a text at the pieces. The first of overlapping pieces wins. */
function cut(text: string, pieces: readonly Piece[]): Template {
  const template: (string | Hole)[] = [];
  let done = 0;
  for (
    const { start, end, hole } of pieces.toSorted((a, b) => a.start - b.start || b.end - a.end)
  ) {
    if (start < done) continue;
    if (start > done) template.push(text.slice(done, start));
    template.push(hole);
    done = end;
  }
  if (done < text.length || template.length === 0) template.push(text.slice(done));
  return template;
}

function inJson(piece: string | Hole): string | Hole {
  const escape = (text: string) => JSON.stringify(text).slice(1, -1);
  if (typeof piece === "string") return escape(piece);
  return { rawValue: piece.rawValue, write: (value) => escape(piece.write(value)) };
}

/** A placeholder for a regenerated value in a recorded text. */
export interface Hole {
  /** Raw recorded value. */
  readonly rawValue: string;
  /** Encodes a raw value in the form of the recorded one. */
  write(value: string): string;
}

/** A recorded text with placeholders for regenerated values. */
export type Template = readonly (string | Hole)[];

/** Fills each placeholder of a template. */
export function fill(template: Template, valueOf: (rawValue: string) => string): string {
  return template.map((piece) =>
    typeof piece === "string" ? piece : piece.write(valueOf(piece.rawValue))
  ).join("");
}

/** Lists the recorded values of a template's placeholders. */
export function recordedValues(template: Template): string[] {
  return template.flatMap((piece) => typeof piece === "string" ? [] : [piece.rawValue]);
}
