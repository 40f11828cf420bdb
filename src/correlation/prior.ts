import {
  dynamicShape,
  isShortNumber,
  isWordy,
  looksGenerated,
  PLAIN_WORD,
  SWITCH,
} from "../traffic/session/dynamic_value.ts";
import { resourceWords } from "./words.ts";

/**
 * Weights of what a value looks like, what its names in the response and in the request suggest,
 * and where both contain it. A piece of a request is a variable if their sum is at least
 * `THRESHOLD`, 2. Each reason names sums that reach it, or that do not. To see the effect of a
 * change, run `scripts/score_correlation.ts` and `scripts/score_models.ts`.
 */
const WEIGHTS = {
  /** What the value looks like. */
  random: 3, // Enough in any place but glued text.
  generated: 2, // Enough in any place with a weight of at least 0.
  number: 1, // Enough in a place for one value, such as a leaf.
  opaque: 1, // As `number`.
  named: 0.5, // Enough, because the name of a token (2.5) is a condition for it.
  year: -0.5, // Enough in a leaf with the name of an id, or with the same name in both.
  other: -1, // Enough in a leaf with the name of an id.
  longWord: -1, // Enough in a leaf if a write created it, or if both names are those of an id.
  shortNumber: -2, // Not enough in a leaf with the name of an id: equal numbers are common.
  zero: -4, // Outweighs the name of an id and the place.
  word: -2.5, // Enough in a leaf only if both conditions for `longWord` are met.
  plain: -9, // Never enough in one recording.
  prose: -9, // As `plain`.
  clock: -2, // The client also knows the time: the names of a stamp are not enough.
  /** What the name of the value in the response suggests. */
  sourceToken: 2.5, // Makes a short number in a field enough, with the same name in both.
  sourceId: 2, // Makes `other` in a leaf enough.
  sourceStamp: 2, // As `sourceId`.
  flag: -1, // A switch is not enough, although both names are the same.
  /** What the name of the value in the request suggests. */
  useId: 0.5, // Little, because clients also give such names to their own ids.
  /** Both names are the same, or name the same resource. */
  agreement: 1.5, // Not enough for a short number in a leaf: constants also have one name.
  /** A path segment with a number, such as `2-green-teas`, that is a variable elsewhere. */
  known: 3, // Makes `other` in a link enough.
  /** Where the response contains the value. */
  leaf: 1, // A place for one value.
  field: 1, // As `leaf`.
  header: 1, // As `leaf`.
  named_text: 0.5, // A place for one value among others.
  text: 0, // Any text may contain an equal value by chance.
  link: 0.5, // As `named_text`.
  argument: 0.5, // As `named_text`.
  glued: -3, // Not enough even for `random`: a part of a word is equal by chance.
  gluedByWrite: 0, // As `text`: the response to a write may name what it created.
  /** A short id between quotes in a script. */
  quoted: 3, // Makes `other` in a text enough.
  option: 0.5, // As `named_text`.
  choice: -1, // A code in a list is enough only if it looks generated.
  button: 0.5, // As `named_text`.
  /** The position of the number in the name of a form field is the same. */
  inName: 0.5, // As `useId`.
  /** What the order of the calls suggests. */
  created: 2, // Makes a short number in a leaf enough, with a name that agrees or is that of an id.
  followed: 3, // Makes a short number in a header or a leaf enough: the client took the address.
  /** The response contains the whole path of a request that changes data. */
  action: 2, // Makes a short number in a link enough, with a name that agrees.
  /** The place of the value rules out that it is a variable, regardless of what it looks like. */
  ruledOut: -9, // Never enough, even if another recording has another value.
  /** The address of a file, in the response to the request that uploaded it. */
  uploaded: 3, // Enough: it decides alone.
  /** The list item in the response shows a text that the user typed. */
  row: 3.5, // Makes a short number in a link enough.
  /** The whole query of a link, without the name of a parameter. */
  query: 3.5, // Makes `other` enough in any place but a glued one.
  /** Where the request contains the value. */
  shortPiece: -1.5, // Outweighs a name that agrees: such numbers are often positions.
  /** Both places contain another value in a second recording. */
  different: 9, // Outweighs any look, but `plain` also needs a place and a name.
} as const;

/** Least sum of the weights for which a piece of a request is a variable. */
export const THRESHOLD = 2;

/** Something that makes it more or less probable that a piece of a request comes from a place. */
export type Evidence = keyof typeof WEIGHTS;

/** Returns the sum of the weights of some evidence. */
export function sumOf(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, kind) => sum + WEIGHTS[kind], 0);
}

/** What a value looks like. */
export type Look =
  | "random"
  | "generated"
  | "number"
  | "year"
  | "opaque"
  | "other"
  | "shortNumber"
  | "longWord"
  | "word"
  | "plain"
  | "prose";

const looks = new Map<string, Look>();

/** Returns what a value looks like, regardless of its name and place. */
export function lookOf(value: string): Look {
  let look = looks.get(value);
  if (look === undefined) {
    look = classify(value);
    if (looks.size < 100_000) looks.set(value, look);
  }
  return look;
}

/** Matches fractions, negative numbers, dates, versions and addresses. */
const PLAIN =
  /^(?:-?\d+(?:\.\d+)?|\d{1,6}(?:\.\d{1,6})+|\d{4}-\d\d(?:-\d\d)?|[\w.+-]+@[\w-]+\.[\w.-]+|v\d{1,3}(?:\.\d+)*)$/i;

/** Matches the path of a directory, of a program, or of an API with a version. */
const CODE_NAME =
  /^[/\w.-]*(?:\/|\.(?:php\d?|html?|aspx?|jspx?|do|action|cgi|pl|cfm|xhtml))$|^\/[/\w.-]*\/v\d{1,3}\/[/\w.-]*$/;

/** Reports whether a value is the name or the path of a program, such as `/admin/post-new.php`. */
function isCodeName(value: string): boolean {
  return CODE_NAME.test(value) &&
    value.replace(/\.\w+$/, "").split(/[/.]/).every((part) =>
      part === "" || isWordy(part) || /^v\d+$/.test(part)
    );
}

function classify(value: string): Look {
  if (/\s|^https?:\/\//i.test(value) && dynamicShape(value) === undefined) return "prose";
  if (isShortNumber(value)) return "shortNumber";
  const shape = dynamicShape(value);
  if (/^(?:19|20)\d\d$/.test(value)) return "year";
  if (shape === "number") return value.length >= 8 ? "generated" : "number";
  if (shape !== undefined) return "random";
  if (PLAIN.test(value) || SWITCH.test(value) || isCodeName(value)) return "plain";
  // A digit after a word is a part of its name, as in `oauth2`.
  if (isWordy(value.replace(/^[-_.]+|[-_.]+$|(?<=[a-z]{4})\d$/g, ""))) {
    if (resourceWords(value).length === 0) return "plain";
    return PLAIN_WORD.test(value) ? "word" : "longWord";
  }
  if (value.length >= 5 && looksGenerated(value)) return "generated";
  // A name of words with a number, such as `quiet-river-42`, may be generated; a path is not.
  const isPlain = value.includes("/") &&
    value.split(/[^A-Za-z0-9]+/).every((part) => isWordy(part) || isShortNumber(part));
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && !isPlain
    ? "opaque"
    : "other";
}
