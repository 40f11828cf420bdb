import { ID_PLACEHOLDER, isId, NO_ID, SEGMENT_CLASS } from "./id_segment.ts";
import { MAX_LINE_BYTES } from "./limits.ts";

const ORDINARY = 0;
const AT_SLASH = 1;
const AT_END = 2;
const SLASH = 0x2f;
const PLACEHOLDER = new TextEncoder().encode(ID_PLACEHOLDER);
/** An id of one byte grows to nine. */
const MOST_KEY_BYTES = MAX_LINE_BYTES * 6;

/** What each byte is in a path that ends at its query, or at the first of `ends`. */
export function pathClasses(ends: string): Uint8Array {
  const classes = new Uint8Array(256);
  classes[SLASH] = AT_SLASH;
  for (const byte of new TextEncoder().encode(`?${ends}`)) classes[byte] = AT_END;
  return classes;
}

/** The bytes of `METHOD route`, in the text they were found in if they stand there, else in a copy. */
export class RouteKey {
  readonly #bytes = new Uint8Array(MOST_KEY_BYTES);
  readonly #copy = new DataView(this.#bytes.buffer);
  /** Where the key stands. */
  view: DataView = this.#copy;
  /** Where in `view` it starts. */
  start = 0;
  /** How many bytes it has. */
  length = 0;

  /** Whether an id was replaced, and the key is a copy for that. */
  get hasId(): boolean {
    return this.view === this.#copy;
  }

  /**
   * Makes a key of what starts at `start`, whose path starts at `path` and ends where `classes` say,
   * every id-like segment replaced. Gives where that is.
   */
  write(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    path: number,
    classes: Uint8Array,
  ): number {
    let copied = start;
    this.length = 0;
    let i = path;
    const last = view.byteLength - 4;
    for (let kind; (kind = classes[bytes[i]]) !== AT_END;) {
      i++;
      if (kind === ORDINARY) continue;
      const segment = i;
      let seen = 0;
      for (let c; (c = SEGMENT_CLASS[bytes[i]]) < NO_ID; i++) seen |= c;
      if (classes[bytes[i]] === ORDINARY) {
        // Four at a time while all are lower-case letters: none of those ends a segment.
        while (i <= last && (view.getInt32(i) & 0xe0e0e0e0) === 0x60606060) i += 4;
        continue;
      }
      if (!isId(bytes, segment, i, seen)) continue;
      this.#append(view, copied, segment);
      this.#appendPlaceholder();
      copied = i;
    }
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

  #append(view: DataView, from: number, to: number): void {
    const at = this.length - from;
    let i = from;
    for (; i + 4 <= to; i += 4) this.#copy.setInt32(at + i, view.getInt32(i));
    for (; i < to; i++) this.#bytes[at + i] = view.getUint8(i);
    this.length = at + i;
  }

  #appendPlaceholder(): void {
    for (let i = 0; i < PLACEHOLDER.length; i++) this.#bytes[this.length++] = PLACEHOLDER[i];
  }
}
