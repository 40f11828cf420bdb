import { ID_PLACEHOLDER, isId, NO_ID, SEGMENT_CLASS } from "./id_segment.ts";
import { MAX_LINE_BYTES } from "./line_limit.ts";

/** What may have to be rewritten. */
const ODD = 0x10;
const AT_SLASH = 0x40;
const AT_END = 0x80;
const SLASH = 0x2f;
/** Of four bytes, the upper bits that all lower-case letters have. */
const LOWER_CASE = 0x60606060;
const PLACEHOLDER = new DataView(new TextEncoder().encode(ID_PLACEHOLDER.padEnd(12)).buffer);
/** An id of one byte grows to nine. */
const MOST_KEY_BYTES = MAX_LINE_BYTES * 6;

/**
 * What each byte is in a path that ends at its query, or at the first of `ends`: its segment class, or
 * more.
 */
export function pathClasses(ends: string): Uint8Array {
  const classes = SEGMENT_CLASS.slice();
  classes[SLASH] = AT_SLASH;
  for (const byte of new TextEncoder().encode(`?${ends}`)) classes[byte] = AT_END;
  return classes;
}

/** A path that is in the log as it will be in a plan: it ends where it is not. */
export const PLAIN: Uint8Array = pathClasses(' "\\$\n');
PLAIN.fill(AT_END, 0x80);
for (const byte of new TextEncoder().encode("%;")) PLAIN[byte] = ODD;

/** The bytes of `METHOD route`, in the text they were found in if they stand there, else in a copy. */
export class RouteKey {
  readonly #copy = new DataView(new ArrayBuffer(MOST_KEY_BYTES));
  /** Where the key stands. */
  view: DataView = this.#copy;
  /** Where in `view` it starts. */
  start = 0;
  /** How many bytes it has. */
  length = 0;
  /** Where in the path something first is that may have to be rewritten; -1 if nothing has to be. */
  oddAt = -1;

  /** Whether an id was replaced, and the key is a copy for that. */
  get hasId(): boolean {
    return this.view === this.#copy;
  }

  /**
   * Makes a key of what starts at `start`, whose path starts at `path` and ends where `classes` say,
   * every id-like segment replaced. Returns where that is.
   */
  write(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    path: number,
    classes: Uint8Array,
  ): number {
    let copied = start | 0;
    let i = path | 0;
    this.length = 0;
    this.oddAt = -1;
    for (let kind = 0; kind !== AT_END; i++) {
      const segment = i;
      let seen = 0;
      for (; (kind = classes[bytes[i]]) < NO_ID; i++) seen |= kind;
      if (kind === NO_ID || kind === ODD) {
        // Four at a time while all are lower-case letters: none of those ends a segment.
        while ((view.getInt32(i, true) & 0xe0e0e0e0) === LOWER_CASE) i += 4;
        while ((kind = classes[bytes[i]]) < AT_SLASH) {
          if (kind === ODD && this.oddAt < 0) this.oddAt = i;
          i++;
        }
      } else if (isId(bytes, segment, i, seen)) {
        this.#append(view, copied, segment);
        this.#append(PLACEHOLDER, 0, ID_PLACEHOLDER.length);
        copied = i;
      }
    }
    i--;
    if (copied > start) {
      this.#append(view, copied, i);
      this.view = this.#copy;
      this.start = 0;
    } else {
      this.view = view;
      this.start = start;
      this.length = i - start;
    }
    return i;
  }

  /** Copies whole words: what is too much is written over, or not read. */
  #append(view: DataView, from: number, to: number): void {
    const copy = this.#copy;
    const at = this.length - from;
    for (let i = from | 0; i < to; i += 4) copy.setInt32(at + i, view.getInt32(i, true), true);
    this.length = at + to;
  }
}
