import type { AST } from "@eslint-community/regexpp";

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
 * ways. Returns the source of the group, or undefined if it finds none. Reports no false positives,
 * but may miss groups. `pattern` must be a valid regular expression with the flag `u` or without flags.
 */
export type FindBacktrackingGroup = (pattern: string, flags?: "u" | "") => string | undefined;

/** A closing parenthesis and a repetition, as themselves or escaped as in YAML. */
const REPEATED_GROUP =
  /\)[*+{]|\\(?:x(?:2[9ab]|7b)|u(?:002[9ab]|007b)|U0000(?:002[9ab]|007b)|\r?\n)/i;

/**
 * Prefilter for a pattern, or for the YAML of a plan: if it returns false, no pattern in the text has
 * a repeated group. May return true for other texts.
 */
export function mayRepeatGroup(text: string): boolean {
  return REPEATED_GROUP.test(text);
}

/** Loads the parser of regular expressions, which takes 2 ms, and returns the search that uses it. */
export async function loadBacktrackingSearch(): Promise<FindBacktrackingGroup> {
  const { RegExpParser } = await import("@eslint-community/regexpp");
  const parser = new RegExpParser();
  return (pattern, flags = "") => {
    const unicode = flags === "u";
    let parsed: readonly Node[][];
    try {
      parsed = toNodes(parser.parsePattern(pattern, 0, pattern.length, { unicode }).alternatives);
    } catch {
      return undefined; // syntax that the engine supports, but not yet the parser
    }
    return search(parsed, false, flags);
  };
}

function toNodes(alternatives: readonly AST.Alternative[]): Node[][] {
  return alternatives.map(({ elements }) => elements.map(toNode));
}

function toNode(element: AST.Element): Node {
  const { min, max, element: inner } = element.type === "Quantifier"
    ? element
    : { min: 1, max: 1, element };
  const kind = nodeKind(inner);
  const alternatives = "alternatives" in inner ? toNodes(inner.alternatives) : [];
  return { text: kind === "group" ? element.raw : inner.raw, kind, alternatives, min, max };
}

function nodeKind({ type }: AST.Element): Node["kind"] {
  if (type === "Group" || type === "CapturingGroup") return "group";
  if (type === "Assertion") return "assertion";
  return type === "Backreference" ? "other" : "single";
}

function search(
  alternatives: readonly Node[][],
  canFailAfter: boolean,
  flags: string,
): string | undefined {
  for (const nodes of alternatives) {
    let canFail = canFailAfter;
    for (const node of nodes.toReversed()) {
      if (node.kind === "group") {
        if (node.max === Infinity && canFail && isAmbiguous(node, flags)) return node.text;
        const inner = search(node.alternatives, canFail || node.max > 1, flags);
        if (inner !== undefined) return inner;
      }
      canFail ||= node.kind === "assertion" || !isNullable(node);
    }
  }
  return undefined;
}

/** Reports whether repetitions of a group can match the same text in many ways. */
function isAmbiguous({ alternatives }: Node, flags: string): boolean {
  return alternatives.some(canStretch) || overlap(alternatives, flags);
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
function overlap(alternatives: readonly Node[][], flags: string): boolean {
  const singles = alternatives.filter(([node, ...more]) =>
    node?.kind === "single" && node.min === 1 && node.max === 1 && more.length === 0
  ).map(([{ text }]) => new RegExp(`^(?:${text})$`, flags));
  return ASCII.some((char) => singles.filter((single) => single.test(char)).length > 1);
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
