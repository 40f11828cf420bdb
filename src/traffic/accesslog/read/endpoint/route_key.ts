import * as ascii from "../../../../base/ascii.ts";
import { MAX_LINE_BYTES } from "../text/line_bounds.ts";
import { ID_PLACEHOLDER, isId, NO_ID, SEGMENT_CLASS } from "./id_segment.ts";

const { SLASH } = ascii;

/** Class of bytes that may have to be rewritten. */
export const ODD = 0x10;
const AT_SLASH = 0x40;
/** Class of bytes that end a path. */
export const AT_END = 0x80;
/** The upper three bits of four lower-case letters. */
const LOWER_CASE = 0x60606060;
const PLACEHOLDER = new DataView(new TextEncoder().encode(ID_PLACEHOLDER.padEnd(12)).buffer);
/** An id of one byte grows to nine. */
const MAX_KEY_BYTES = MAX_LINE_BYTES * 6;

/**
 * Returns the class of each byte in a path: its segment class, a slash, or an end. A path ends at its
 * query or at the first of the characters in `ends`.
 */
export function buildPathClasses(ends: string): Uint8Array {
  const classes = SEGMENT_CLASS.slice();
  classes[SLASH] = AT_SLASH;
  for (const byte of new TextEncoder().encode(`?${ends}`)) classes[byte] = AT_END;
  return classes;
}

/** Byte classes for paths that need no rewriting: any byte that would need unescaping is an end. */
export const PLAIN: Uint8Array = buildPathClasses(' "\\$\n');
PLAIN.fill(AT_END, 0x80);
for (const byte of new TextEncoder().encode("%;")) PLAIN[byte] = ODD;

/** The bytes of `METHOD route`: a view of the input, or of a copy if an id was replaced. */
export class RouteKey {
  readonly #copy = new DataView(new ArrayBuffer(MAX_KEY_BYTES));
  /** The bytes that contain the key. */
  view: DataView = this.#copy;
  /** Byte offset of the key in `view`. */
  start = 0;
  /** Length of the key in bytes. */
  length = 0;
  /** Offset of the first byte of the path that may need rewriting, or -1. */
  oddAt: number = -1;

  /** True if an id was replaced, so that the key is a copy. */
  get hasId(): boolean {
    return this.view === this.#copy;
  }

  /**
   * Builds the key from the text at `start`, whose path starts at `path` and ends as `classes` define,
   * with every id-like segment replaced. Returns the end of the path.
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
        // Skips four lower-case letters at a time: they never end a segment.
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

  /** Copies whole words; excess bytes are overwritten by the next call or lie past `length`. */
  #append(view: DataView, from: number, to: number): void {
    const copy = this.#copy;
    const at = this.length - from;
    for (let i = from | 0; i < to; i += 4) copy.setInt32(at + i, view.getInt32(i, true), true);
    this.length = at + to;
  }
}
