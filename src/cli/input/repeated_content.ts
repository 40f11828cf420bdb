import { CR, HASH, LF } from "../../base/ascii.ts";
import { repeatedContent } from "../../convert/accesslog/reading_notes.ts";
import type { LogNote } from "../../convert/notes/note.ts";

/** Number of bytes to compare at the beginning of each of the first 1,000 inputs. */
const COMPARED_BYTES = 16 * 1024;
/** Number of inputs for which `COMPARED_BYTES` are kept in memory. */
const MAX_COMPARED = 1_000;
/** Number of bytes to compare at the beginning of each input after the first 1,000. */
const LEAST_COMPARED_BYTES = 1024;
/**
 * Minimum number of lines that two inputs must have in common at the beginning before one input
 * counts as a continuation of the other. A single common line can be a coincidence, such as a
 * health check of two servers in the same second.
 */
const LEAST_LINES = 2;

/** An input that has been read or is being read. */
interface ReadInput {
  readonly name: string;
  /** Beginning of the content, without comment lines at the start. */
  readonly head: Uint8Array;
  /** Total length of the preceding inputs in bytes, after decompression. */
  readonly offset: number;
}

/**
 * Finds inputs that are copies of other inputs, such as a log and its compressed copy. Compares
 * only the beginnings and the lengths of inputs, which takes no measurable time.
 */
export class RepeatedContent {
  readonly #inputs: ReadInput[] = [];

  /**
   * Adds the next input. `head` is the beginning of its decompressed content. `offset` is the total
   * length of the preceding inputs in bytes, after decompression.
   */
  add(name: string, head: Uint8Array, offset: number): void {
    const size = this.#inputs.length < MAX_COMPARED ? COMPARED_BYTES : LEAST_COMPARED_BYTES;
    this.#inputs.push({ name, head: skipComments(head).slice(0, size), offset });
  }

  /**
   * Returns a warning for each input that repeats an earlier one. `end` is the total length of all
   * inputs in bytes, after decompression.
   */
  notes(end: number): LogNote[] {
    const lengths = this.#inputs.map(({ offset }, i) =>
      (this.#inputs[i + 1]?.offset ?? end) - offset
    );
    // Copies have the same first line, so compare only inputs with equal first lines.
    const byLine = new Map<string, number[]>();
    return this.#inputs.flatMap(({ name, head }, i) => {
      const line = firstLine(head);
      if (line === "") return [];
      const known = byLine.get(line);
      if (known === undefined) byLine.set(line, [i]);
      const others = known ?? [];
      const copied = others.find((k) =>
        lengths[k] === lengths[i] && startsWith(head, this.#inputs[k].head)
      );
      const first = copied ?? others.find((k) => isContinued(head, this.#inputs[k].head));
      known?.push(i);
      return first === undefined
        ? []
        : [repeatedContent(name, this.#inputs[first].name, copied !== undefined)];
    });
  }
}

/** Returns `head` without the lines at its start that begin with `#`. */
function skipComments(head: Uint8Array): Uint8Array {
  let rest = head;
  while (rest[0] === HASH) {
    const end = rest.indexOf(LF);
    rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1);
  }
  return rest;
}

function firstLine(head: Uint8Array): string {
  const end = head.findIndex((byte) => byte === LF || byte === CR);
  return String.fromCharCode(...head.subarray(0, Math.min(1_024, end < 0 ? head.length : end)));
}

/**
 * Reports whether the shorter of two chunks has at least two lines and is a prefix of the longer
 * one.
 */
function isContinued(a: Uint8Array, b: Uint8Array): boolean {
  if (!startsWith(a, b)) return false;
  const shorter = a.length < b.length ? a : b;
  return shorter.reduce((count, byte) => byte === LF ? count + 1 : count, 0) >= LEAST_LINES;
}

/** Reports whether one of two byte sequences starts with the other. */
function startsWith(a: Uint8Array, b: Uint8Array): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}
