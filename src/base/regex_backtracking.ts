import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** Part of a regular expression. `min` and `max` limit its number of repetitions. */
interface Node {
  /**
   * Source text of this part of the regular expression. For a group, it includes the quantifier.
   */
  readonly text: string;
  readonly kind: "single" | "group" | "assertion" | "other";
  /** Alternatives of a group or a lookaround. Empty for any other part. */
  readonly alternatives: readonly Node[][];
  readonly min: number;
  readonly max: number;
}

/**
 * Finds a repeated group that can match the same text in exponentially many ways, such as the
 * groups in `(\w+\s?)+!` and `(a|\w)*$`. If the rest of the pattern does not match, the regular
 * expression engine tries all of these ways. Returns the source of the first such group, or
 * undefined if it finds no such group. May miss such a group, but reports no false positives.
 * `pattern` must be a valid regular expression with the given flags.
 */
export type FindBacktrackingGroup = (pattern: string, flags?: "u" | "") => string | undefined;

/**
 * Matches a closing parenthesis followed by a quantifier. Also matches each YAML escape sequence
 * that can hide such a pair: an escaped parenthesis, quantifier or line break.
 */
const REPEATED_GROUP =
  /\)[*+{]|\\(?:x(?:2[9ab]|7b)|u(?:002[9ab]|007b)|U0000(?:002[9ab]|007b)|\r?\n)/i;

/**
 * Prefilter for a pattern or a whole plan: reports whether a regular expression in the text may
 * repeat a group. May return false positives, never false negatives.
 */
export function mayRepeatGroup(text: string): boolean {
  return REPEATED_GROUP.test(text);
}

/** Returns a function that searches a regular expression. */
export function loadBacktrackingSearch(): FindBacktrackingGroup {
  const parser = new RegExpParser();
  return (pattern, flags = "") => {
    const unicode = flags === "u";
    let parsed: readonly Node[][];
    try {
      parsed = toNodes(parser.parsePattern(pattern, 0, pattern.length, { unicode }).alternatives);
    } catch {
      return undefined; // The engine supports newer syntax than the parser.
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

/** Reports whether repetitions of a group can match the same text in several ways. */
function isAmbiguous({ alternatives }: Node, flags: string): boolean {
  return alternatives.some(canStretch) || overlap(alternatives, flags);
}

/**
 * Reports whether a sequence can match text of any length without a mandatory separator, as
 * `\w+\s?` can.
 */
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

/**
 * Reports whether two of the alternatives are single characters or classes that can match the same
 * ASCII character.
 */
function overlap(alternatives: readonly Node[][], flags: string): boolean {
  const singles = alternatives.filter(([node, ...more]) =>
    node?.kind === "single" && node.min === 1 && node.max === 1 && more.length === 0
  ).map(([{ text }]) => new RegExp(`^(?:${text})$`, flags));
  return ASCII.some((char) => singles.filter((single) => single.test(char)).length > 1);
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
