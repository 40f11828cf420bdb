import type { View } from "./views.ts";

/** The end of a text that a view and a request have in common. */
export interface SentMatch {
  /** Number of the match, in the order of the scan. */
  readonly number: number;
  /** Position of the call whose response contains the view. */
  readonly order: number;
  readonly view: View;
  /** Offset of the end in the text of the view, in UTF-16 code units. */
  readonly end: number;
  /** Number of atoms before `end` that the view and the request have in common. */
  readonly atoms: number;
}

const MOST_ALIKE = 8;
/**
 * Maximum number of matches of the same text in one response; of one word, which is hardly a value.
 */
const MOST_OF_TEXT = 256;
const MOST_OF_WORD = 8;
/** Maximum number of matches of a number whose text before it is also as in a request. */
const MOST_WITH_MORE = 1_024;
/** Number of characters before a match that tell matches apart. */
const LEFT = 12;

/**
 * Returns the text directly before an offset of a view, or the view's name at the start of its
 * text.
 */
export function textBefore({ text, key }: View, start: number): string {
  return start > 0 ? text.slice(Math.max(0, start - LEFT), start) : key;
}

class Matches {
  readonly all: SentMatch[] = [];
  #order = -1;
  #count = 0;
  readonly #alike = new Map<string, number>();

  readonly #long = new Map<number, readonly SentMatch[]>();

  constructor(
    readonly size: number,
  ) {}

  /** Returns the matches that have at least a number of atoms in common with a request. */
  atLeast(atoms: number): readonly SentMatch[] {
    let matches = this.#long.get(atoms);
    if (matches === undefined) {
      this.#long.set(atoms, matches = this.all.filter((match) => match.atoms >= atoms));
    }
    return matches;
  }

  /** Returns false if the response has enough matches after the same text. */
  mayAdd(view: View, order: number, start: number, most: number): boolean {
    if (order !== this.#order) {
      this.#order = order;
      this.#count = 0;
      this.#alike.clear();
    }
    if (this.#count >= most) return false;
    const left = textBefore(view, start);
    const alike = (this.#alike.get(left) ?? 0) + 1;
    if (alike > MOST_ALIKE) return false;
    this.#alike.set(left, alike);
    this.#count++;
    return true;
  }
}

/**
 * Index of all texts that requests send. Finds in one scan of a view all parts of it that requests
 * send, in time linear in the length of the view. A suffix automaton over atoms: each state is a
 * set of texts that end at the same places of requests, and `link` leads to their shorter suffixes.
 */
export class SentIndex {
  readonly #atoms = new AtomTable();
  readonly #next = new PairTable();
  // The transitions of each state as a linked list, which `#copy` needs.
  readonly #lastEdge: number[] = [-1];
  readonly #edges: { readonly atom: number; readonly state: number; readonly before: number }[] =
    [];
  readonly #length: number[] = [0];
  readonly #link: number[] = [-1];
  /** Matches of the texts of each state that are wanted. */
  readonly #matches: (Matches | undefined)[] = [undefined];
  /** For each state, the nearest state on its path of links, including itself, that is wanted. */
  #wanted: Int32Array | undefined;
  #found = 0;

  add(text: string): void {
    let state = 0;
    forEachAtom(text, (start, end, hash) => {
      state = this.#extend(state, this.#atoms.add(text, start, end, hash));
    });
  }

  #extend(last: number, atom: number): number {
    const known = this.#next.get(last, atom);
    if (known >= 0) {
      return this.#length[known] === this.#length[last] + 1 ? known : this.#copy(last, atom, known);
    }
    const state = this.#create(this.#length[last] + 1);
    let at = last;
    for (; at >= 0 && this.#next.get(at, atom) < 0; at = this.#link[at]) {
      this.#connect(at, atom, state);
    }
    if (at < 0) this.#link[state] = 0;
    else {
      const target = this.#next.get(at, atom);
      this.#link[state] = this.#length[target] === this.#length[at] + 1
        ? target
        : this.#copy(at, atom, target);
    }
    return state;
  }

  /** Splits the shorter texts of a state off into a copy. */
  #copy(from: number, atom: number, state: number): number {
    const copy = this.#create(this.#length[from] + 1);
    for (let edge = this.#lastEdge[state]; edge >= 0; edge = this.#edges[edge].before) {
      const { atom, state: target } = this.#edges[edge];
      if (this.#next.get(state, atom) === target) this.#connect(copy, atom, target);
    }
    this.#link[copy] = this.#link[state];
    this.#link[state] = copy;
    for (let at = from; at >= 0 && this.#next.get(at, atom) === state; at = this.#link[at]) {
      this.#connect(at, atom, copy);
    }
    return copy;
  }

  #create(length: number): number {
    this.#link.push(-1);
    this.#matches.push(undefined);
    this.#lastEdge.push(-1);
    return this.#length.push(length) - 1;
  }

  #connect(from: number, atom: number, state: number): void {
    this.#next.set(from, atom, state);
    this.#edges.push({ atom, state, before: this.#lastEdge[from] });
    this.#lastEdge[from] = this.#edges.length - 1;
  }

  /** Finds the parts of a view that requests send. `order` is the position of its call. */
  scan(view: View, order: number): void {
    const { text } = view;
    const wanted = this.#wanted ??= this.#nearestWanted();
    let state = 0;
    let length = 0;
    forEachAtom(text, (start, end, hash) => {
      const atom = this.#atoms.find(text, start, end, hash);
      if (atom < 0) {
        state = 0;
        length = 0;
        return;
      }
      let next = this.#next.get(state, atom);
      while (next < 0 && state > 0) {
        state = this.#link[state];
        length = this.#length[state];
        next = this.#next.get(state, atom);
      }
      state = Math.max(next, 0);
      length = next < 0 ? 0 : length + 1;
      if (wanted[state] > 0) this.#record(wanted[state], order, view, end, length);
    });
  }

  #nearestWanted(): Int32Array {
    const nearest = new Int32Array(this.#length.length).fill(-1);
    nearest[0] = 0;
    for (let state = 1; state < nearest.length; state++) {
      const path: number[] = [];
      let at = state;
      for (; nearest[at] < 0 && this.#matches[at] === undefined; at = this.#link[at]) path.push(at);
      const end = this.#matches[at] === undefined ? nearest[at] : nearest[at] = at;
      for (const state of path) nearest[state] = end;
    }
    return nearest;
  }

  /** Adds a match to the state of a text and to those of its suffixes. */
  #record(state: number, order: number, view: View, end: number, atoms: number): void {
    const wanted = this.#wanted!;
    let match: SentMatch | undefined;
    for (let at = state; at > 0; at = wanted[this.#link[at]]) {
      const known = this.#matches[at]!;
      const isWord = this.#length[at] === 1 && !isDigit(view.text.charCodeAt(end - 1));
      const most = isWord ? MOST_OF_WORD : atoms > this.#length[at] ? MOST_WITH_MORE : MOST_OF_TEXT;
      if (!known.mayAdd(view, order, end - known.size, most)) {
        continue;
      }
      known.all.push(match ??= { number: this.#found++, order, view, end, atoms });
    }
  }

  /** Returns the places of a text's atoms, for the search of its parts. */
  partsOf(text: string): TextParts {
    const [starts, ends, states]: [number[], number[], number[]] = [[], [], []];
    let state = 0;
    forEachAtom(text, (start, end, hash) => {
      state = this.#next.get(state, this.#atoms.find(text, start, end, hash));
      starts.push(start);
      ends.push(end);
      states.push(state);
    });
    const stateOf = (from: number, to: number) => {
      const [first, last] = [starts.indexOf(from), ends.indexOf(to)];
      if (first < 0 || last < first) return undefined;
      const atoms = last - first + 1;
      let at = states[last];
      while (this.#length[this.#link[at]] >= atoms) at = this.#link[at];
      return { at, atoms };
    };
    return {
      want: (from, to) => {
        const state = stateOf(from, to);
        if (state !== undefined) this.#matches[state.at] ??= new Matches(to - from);
      },
      matches: (from, to) => {
        const state = stateOf(from, to);
        if (state === undefined) return [];
        return this.#matches[state.at]?.atLeast(state.atoms) ?? [];
      },
    };
  }
}

/** The parts of a text that a request sends. */
export interface TextParts {
  /** Makes scans search for a part whose start and end are those of atoms. */
  want(start: number, end: number): void;
  /** Returns the matches of a wanted part. */
  matches(start: number, end: number): readonly SentMatch[];
}

/** Minimum length of a run of characters of base64 that is one atom, in UTF-16 code units. */
const LONG_RUN = 512;

/** Kinds of ASCII characters: 1 for letters, 2 for digits, 0 for separators. */
const KIND = new Uint8Array(128);
const ENCODED = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  KIND[code] = /[A-Za-z]/.test(character) ? 1 : /\d/.test(character) ? 2 : 0;
  ENCODED[code] = /[\w+/-]/.test(character) ? 1 : 0;
}

/**
 * Calls `visit` with the range and the hash of each atom of a text: letters, digits, or one
 * separator. A long run of base64 is one atom.
 */
function forEachAtom(
  text: string,
  visit: (start: number, end: number, hash: number) => void,
): void {
  let runEnd = 0;
  for (let start = 0, end = 0; start < text.length; start = end) {
    let code = text.charCodeAt(start);
    if (start >= runEnd && code < 128 && ENCODED[code] === 1) {
      runEnd = start + 1;
      for (let c; (c = text.charCodeAt(runEnd)) < 128 && ENCODED[c] === 1;) runEnd++;
    }
    end = start + 1;
    const kind = code < 128 ? KIND[code] : 1;
    let hash = code;
    if (runEnd - start >= LONG_RUN) {
      // A sample of the characters, because the hash only limits the number of comparisons.
      const step = runEnd - start >> 8;
      for (; end < runEnd; end += step) hash = Math.imul(hash, 0x01000193) ^ text.charCodeAt(end);
      end = runEnd;
    } else if (kind !== 0) {
      for (; end < text.length; end++) {
        code = text.charCodeAt(end);
        if ((code < 128 ? KIND[code] : 1) !== kind) break;
        hash = Math.imul(hash, 0x01000193) ^ code;
      }
    }
    visit(start, end, hash);
  }
}

function isDigit(code: number): boolean {
  return code < 128 && KIND[code] === 2;
}

/** Growing hash table from two integers to an integer. -1 means no entry. */
class PairTable {
  #keys = new Int32Array(2 ** 13);
  #values = new Int32Array(2 ** 12).fill(-1);
  #count = 0;

  get(a: number, b: number): number {
    return this.#values[this.#slot(a, b)];
  }

  set(a: number, b: number, value: number): void {
    if (this.#count * 2 > this.#values.length) this.#grow();
    const slot = this.#slot(a, b);
    if (this.#values[slot] < 0) this.#count++;
    this.#keys[2 * slot] = a;
    this.#keys[2 * slot + 1] = b;
    this.#values[slot] = value;
  }

  #slot(a: number, b: number): number {
    const mask = this.#values.length - 1;
    let slot = Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b);
    slot = (slot ^ slot >>> 15) & mask;
    while (
      this.#values[slot] >= 0 && (this.#keys[2 * slot] !== a || this.#keys[2 * slot + 1] !== b)
    ) slot = slot + 1 & mask;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Int32Array(keys.length * 2);
    this.#values = new Int32Array(values.length * 2).fill(-1);
    this.#count = 0;
    for (let slot = 0; slot < values.length; slot++) {
      if (values[slot] >= 0) this.set(keys[2 * slot], keys[2 * slot + 1], values[slot]);
    }
  }
}

/** Numbers the atoms of requests. */
class AtomTable {
  readonly #byHash = new PairTable();
  readonly #texts: string[] = [];

  /** Returns the number of an atom, or -1 if no request contains it. */
  find(text: string, start: number, end: number, hash: number): number {
    // Equal hashes of different atoms continue with the next number of the same hash.
    for (let i = 0;; i++) {
      const id = this.#byHash.get(hash, i);
      if (id < 0 || this.#isAt(id, text, start, end)) return id;
    }
  }

  add(text: string, start: number, end: number, hash: number): number {
    for (let i = 0;; i++) {
      const id = this.#byHash.get(hash, i);
      if (id >= 0 && this.#isAt(id, text, start, end)) return id;
      if (id >= 0) continue;
      this.#byHash.set(hash, i, this.#texts.length);
      return this.#texts.push(text.slice(start, end)) - 1;
    }
  }

  #isAt(id: number, text: string, start: number, end: number): boolean {
    const known = this.#texts[id];
    if (known.length !== end - start) return false;
    // `startsWith` takes ten times as long for a long text, and half as long for a short one.
    return end - start < LONG_RUN
      ? text.startsWith(known, start)
      : text.slice(start, end) === known;
  }
}
