import { SHORTEST_WITHIN, ValueIndex } from "../traffic/session/value_index.ts";

const SHORTEST_PAIR = 4;
const SHORT_TOKEN = /(?<![\p{L}\p{N}_])[\p{L}\p{N}]{4,7}(?![\p{L}\p{N}_])/gu;

const ENCODINGS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => encodeURIComponent(value.toWellFormed()),
  (value) => JSON.stringify(value).slice(1, -1),
  (value) =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;"),
  // The URL of a wiki page contains its name.
  (value) => value.replaceAll(" ", "_"),
  (value) => value.replaceAll("_", " "),
];

/**
 * Pairs of a recorded and a live value, of one iteration of one user. Replaces recorded values
 * in text with live values or vice versa, so that echoes of known values are no differences.
 */
export class KnownPairs {
  #toLive = new TextReplacer();
  #toRecorded = new TextReplacer();

  /** Returns false for equal values, and for a recorded one that is empty or already known. */
  add(recorded: string, live: string): boolean {
    if (recorded === live || !this.#toLive.add(recorded, live)) return false;
    this.#toRecorded.add(live, recorded);
    return true;
  }

  forget(recorded: string): void {
    const live = this.liveOf(recorded);
    if (live === undefined) return;
    this.#toLive = this.#toLive.without(recorded);
    if (this.recordedOf(live) === recorded) this.#toRecorded = this.#toRecorded.without(live);
  }

  liveOf(recorded: string): string | undefined {
    return this.#toLive.get(recorded);
  }

  recordedOf(live: string): string | undefined {
    return this.#toRecorded.get(live);
  }

  /** Replaces recorded values of at least 4 UTF-16 code units that are whole tokens. */
  toLive(text: string): string {
    return this.#toLive.replace(text);
  }

  toRecorded(text: string): string {
    return this.#toRecorded.replace(text);
  }
}

class TextReplacer {
  readonly #whole = new Map<string, string>();
  readonly #byText = new Map<string, string>();
  readonly #long = new ValueIndex();
  #hasShort = false;

  add(from: string, to: string): boolean {
    if (from === "" || this.#whole.has(from)) return false;
    this.#whole.set(from, to);
    if (from.length < SHORTEST_PAIR) return true;
    for (const encode of ENCODINGS) {
      const text = encode(from);
      if (this.#byText.has(text)) continue;
      this.#byText.set(text, encode(to));
      if (text.length >= SHORTEST_WITHIN) this.#long.add(text);
      else this.#hasShort = true;
    }
    return true;
  }

  without(from: string): TextReplacer {
    const rest = new TextReplacer();
    for (const [other, to] of this.#whole) if (other !== from) rest.add(other, to);
    return rest;
  }

  get(from: string): string | undefined {
    return this.#whole.get(from);
  }

  replace(text: string): string {
    const long = this.#long.find(text);
    if (long.length === 0) return this.#replaceShort(text);
    let result = "";
    let done = 0;
    for (const { value, start, end } of long) {
      result += this.#replaceShort(text.slice(done, start)) + this.#byText.get(value);
      done = end;
    }
    return result + this.#replaceShort(text.slice(done));
  }

  #replaceShort(text: string): string {
    if (!this.#hasShort) return text;
    return text.replace(SHORT_TOKEN, (token) => this.#byText.get(token) ?? token);
  }
}
