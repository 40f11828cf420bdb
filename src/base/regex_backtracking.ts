/** A part of a regular expression, with its minimum and maximum number of repetitions. */
interface Node {
  readonly text: string;
  readonly kind: "single" | "group" | "assertion" | "other";
  /** The alternatives of a group; empty for other kinds. */
  readonly alternatives: readonly Node[][];
  readonly min: number;
  readonly max: number;
}

/**
 * Finds a repeated group that can match the same text in exponentially many ways, such as
 * `(\w+\s?)+!` or `(a|\w)*$`. If the rest of the pattern does not match, the engine tries all these
 * ways. Returns the source of the group, or undefined if none is found. Reports no false positives,
 * but may miss groups. `pattern` must be a valid regular expression.
 */
export function backtrackingGroup(pattern: string): string | undefined {
  return search(new Reader(pattern).alternatives(), false);
}

function search(alternatives: readonly Node[][], canFailAfter: boolean): string | undefined {
  for (const nodes of alternatives) {
    let canFail = canFailAfter;
    for (const node of nodes.toReversed()) {
      if (node.kind === "group") {
        if (node.max === Infinity && canFail && isAmbiguous(node)) return node.text;
        const inner = search(node.alternatives, canFail || node.max > 1);
        if (inner !== undefined) return inner;
      }
      canFail ||= node.kind === "assertion" || !isNullable(node);
    }
  }
  return undefined;
}

/** Reports whether repetitions of a group can match the same text in many ways. */
function isAmbiguous({ alternatives }: Node): boolean {
  return alternatives.some(canStretch) || overlap(alternatives);
}

/** Reports whether nodes match one or more repetitions of something, without a mandatory separator. */
function canStretch(nodes: readonly Node[]): boolean {
  return nodes.some((node) =>
    repeats(node) && nodes.every((other) => other === node || isNullable(other))
  );
}

function repeats({ kind, max, alternatives }: Node): boolean {
  return kind !== "assertion" &&
    (max === Infinity || kind === "group" && max > 0 && alternatives.some(canStretch));
}

function isNullable({ kind, min, alternatives }: Node): boolean {
  return min === 0 || kind === "assertion" ||
    kind === "group" && alternatives.some((nodes) => nodes.every(isNullable));
}

/** Reports whether two alternatives of one character each can match the same character. */
function overlap(alternatives: readonly Node[][]): boolean {
  const singles = alternatives.filter(([node, ...more]) =>
    node?.kind === "single" && node.min === 1 && node.max === 1 && more.length === 0
  ).map(([{ text }]) => new RegExp(`^(?:${text})$`));
  return ASCII.some((char) => singles.filter((single) => single.test(char)).length > 1);
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

const GROUP = /\((?:\?(?:<[^=!>][^>]*>|<?[=!]|[a-z-]*:))?/y;
const ESCAPE = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|c[a-z]|k<[^>]*>|[1-9]\d*|[^])/iy;
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;

/** Parses a pattern, once and from left to right. */
class Reader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): Node[][] {
    const all: Node[][] = [[]];
    while (this.#at < this.#pattern.length && this.#next !== ")") {
      if (this.#next === "|") {
        this.#at++;
        all.push([]);
      } else all.at(-1)!.push(this.#node());
    }
    return all;
  }

  get #next(): string {
    return this.#pattern[this.#at];
  }

  #node(): Node {
    const from = this.#at;
    const piece = this.#piece();
    const text = this.#pattern.slice(from, this.#at);
    const [min, max] = this.#quantity();
    const isGroup = piece.kind === "group";
    return { ...piece, text: isGroup ? this.#pattern.slice(from, this.#at) : text, min, max };
  }

  #piece(): Pick<Node, "kind" | "alternatives"> {
    const none = { alternatives: [] };
    const opening = this.#take(GROUP)?.[0];
    if (opening !== undefined) {
      const alternatives = this.alternatives();
      this.#at++;
      return { kind: /[=!]$/.test(opening) ? "assertion" : "group", alternatives };
    }
    const escape = this.#take(ESCAPE)?.[0];
    if (escape !== undefined) {
      if (/^\\b$/i.test(escape)) return { kind: "assertion", ...none };
      return { kind: /^\\[k1-9]/.test(escape) ? "other" : "single", ...none };
    }
    if (this.#take(CLASS)) return { kind: "single", ...none };
    return { kind: /[$^]/.test(this.#pattern[this.#at++]) ? "assertion" : "single", ...none };
  }

  #quantity(): [min: number, max: number] {
    const found = this.#take(QUANTIFIER);
    if (!found) return [1, 1];
    const [text, min, comma, max] = found;
    if (min !== undefined) {
      return [Number(min), comma === "" ? Number(min) : Number(max || Infinity)];
    }
    return [text[0] === "+" ? 1 : 0, text[0] === "?" ? 1 : Infinity];
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#pattern) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
