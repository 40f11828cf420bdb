import { dynamicBy, isShortNumber, nameHint, STAMP } from "../traffic/session/dynamic_value.ts";
import { isPathSegment } from "../traffic/session/request_field.ts";
import {
  agreement,
  isAction,
  isCodeOption,
  isOfSendingPage,
  isQuoted,
  isStatus,
  isUnrelated,
  isUploaded,
} from "./agreement.ts";
import type { SessionEvidence } from "./session_evidence.ts";
import { isMadeAddress, isSentSwitch, isSwitch, isWordLook, lookAt, lookOf } from "./look.ts";
import { isEndOfName, isInPath, nameOf, type Use } from "./pieces.ts";
import type { Source } from "./source.ts";
import { outerPlace } from "./views.ts";
import { consumerWords, mayChangeData } from "./request_words.ts";
import { hasSameName, isNumberName, resourceWords } from "./words.ts";

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

export const THRESHOLD = 2;

/** Something that makes it more or less probable that a piece of a request comes from a place. */
export type Evidence = keyof typeof WEIGHTS;

/** Returns the sum of the weights of some evidence. */
export function sumOf(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, kind) => sum + WEIGHTS[kind], 0);
}

/**
 * Returns the evidence that a piece of a request is the value at a place in a response. `first` is
 * the first place that contains the value. `isKnown` means that another piece with the same value
 * is a variable.
 */
export function evidenceFor(
  use: Use,
  source: Source,
  first: Source,
  session: SessionEvidence,
  isKnown = false,
): Evidence[] {
  const evidence = priorFor(use, source, first, session, isKnown);
  return source.others === undefined || isPartOfList(use, source)
    ? evidence
    : [...evidence, "different"];
}

const LISTED = /[/?&=#,;\s]/;

/** Reports whether a text has parts that may have different origins, and is a part itself. */
function isPartOfList({ value }: Use, { where, isWhole }: Source): boolean {
  return LISTED.test(value) && !isWhole && where !== "field" && where !== "option";
}

function priorFor(
  use: Use,
  source: Source,
  first: Source,
  session: SessionEvidence,
  isKnown: boolean,
): Evidence[] {
  const agrees = agreement(use, source).share > 0;
  const look = lookAt(use, source, isKnown && agrees);
  const at = { use, source, look, session };
  const settled = settledBy(at);
  if (settled !== undefined) return settled;
  const isCreated = isIdentifying(use, source) && session.isCreated(use, source, first);
  if (isFirstNumber(use) && !isCreated && !isKnown) return ["ruledOut"];
  const isByWrite = source.where === "glued" && mayChangeData(source.call);
  return [
    look,
    isByWrite ? "gluedByWrite" : source.where,
    ...namedBy(use, source, look, agrees),
    ...agrees && mayAgree(at, isCreated) ? ["agreement" as const] : [],
    ...(isCreated ? ["created" as const] : isShortAction(at) ? ["action" as const] : []),
    ...furtherEvidence(at, isKnown),
    ...placedBy(use, source),
  ];
}

function isShortAction({ use, source, look }: UseAtSource): boolean {
  return look === "shortNumber" && isAction(use, source.occurrence);
}

/** Two words under the same name are rather a constant, and so is a word in a link. */
function mayAgree({ use, source: { where }, look, session }: UseAtSource, isCreated: boolean) {
  return !isWordLook(look) || isCreated && isInPath(use) &&
      (where === "link" || where === "header") && session.isTyped(use);
}

/** Returns what the form of a value says, and where the request sends it. */
function furtherEvidence(
  { use, source, look, session }: UseAtSource,
  isKnown: boolean,
): Evidence[] {
  const hasDigit = /\d/.test(use.value);
  const isOption = (look === "other" || isSentSwitch(use)) && !isIdOrStampName(nameOf(use)) &&
    nameOf(use) !== "" && !isInPath(use);
  const isFollowed = hasDigit && !isOption && session.isFollowed(use, source);
  const mayBeQuoted = look === "other" || look === "generated";
  const isNumberedName = look === "other" && hasDigit && isPathSegment(use.field) &&
    use.fills === "whole";
  const evidence: readonly (readonly [Evidence, boolean])[] = [
    ["followed", isFollowed],
    ["zero", !isFollowed && isZero(use, source)],
    ["query", isQueryOfLink(use, source)],
    ["quoted", mayBeQuoted && isQuoted(use, source)],
    ["known", isKnown && isNumberedName],
  ];
  return evidence.flatMap(([kind, isFound]) => isFound ? [kind] : []);
}

/** A place of a value, and what the value looks like there. */
interface UseAtSource {
  readonly use: Use;
  readonly source: Source;
  readonly look: ReturnType<typeof lookAt>;
  readonly session: SessionEvidence;
}

/** Rules that decide alone. The first one that returns evidence wins. */
const SETTLING: readonly ((at: UseAtSource) => Evidence[] | undefined)[] = [
  ({ use, source }) => isUploaded(use, source) ? ["uploaded"] : undefined,
  settlePlainText,
  ({ use, source }) => isUnrelated(use, source) ? ["ruledOut"] : undefined,
  settleCodeOption,
  settleWord,
  ({ use, source }) =>
    isEndOfName(use) && !source.isWhole || isPageCount(use, source) ? ["ruledOut"] : undefined,
];

function settledBy(at: UseAtSource): Evidence[] | undefined {
  for (const settle of SETTLING) {
    const settled = settle(at);
    if (settled !== undefined) return settled;
  }
  return undefined;
}

function settlePlainText({ use, source, look, session }: UseAtSource): Evidence[] | undefined {
  if (source.others !== undefined || look !== "prose" && look !== "plain") return undefined;
  const isFollowed = use.fills !== "piece" && isMadeAddress(use.value) &&
    session.isFollowed(use, source);
  return isFollowed ? ["followed"] : [look];
}

function settleCodeOption({ use, source, look }: UseAtSource): Evidence[] | undefined {
  if (source.others !== undefined || !isCodeOption(use, source)) return undefined;
  return isWordLook(look) ? ["ruledOut"] : [look, "choice", "agreement"];
}

function settleWord(
  { use: { value, fills, field }, source, look }: UseAtSource,
): Evidence[] | undefined {
  // A word within a longer text is a part of a name, and one in a script is rather code.
  const shape = lookOf(value);
  const isCode = isWordLook(shape) || /^\D*$/.test(value) && !/generated|random/.test(shape);
  const isPartOfName = fills === "piece" && isWordLook(look);
  if (isCode && (isPartOfName || source.where === "argument")) return ["ruledOut"];
  // A name that both contain is rather a constant, unless it is an ID.
  const isInNames = field.kind === "name" && outerPlace(source.occurrence.view).kind === "member";
  return isInNames && !/^\d+$/.test(value) && look !== "random" ? ["ruledOut"] : undefined;
}

/** Returns what the names of a value in the response and in the request suggest. */
function namedBy(
  use: Use,
  source: Source,
  look: ReturnType<typeof lookAt>,
  agrees: boolean,
): Evidence[] {
  const { value } = use;
  const { where } = source;
  // The name in a link comes from the path, which names a collection for words, too.
  const named = where === "link" || where === "glued"
    ? isSwitch(value, source) ? "flag" : undefined
    : sourceName(value, source, look === "shortNumber");
  // Two names that differ say that equal numbers are of different resources.
  const isOtherName = named === "sourceToken" && isShortNumber(value) && !agrees &&
    consumerWords(use).length > 0;
  const isSentAsId = !isInPath(use) && isIdOrStampName(nameOf(use));
  // A word under an id-like name is rather a constant, unless it is also sent under such a name.
  const isConstant = isWordLook(look) && named === "sourceId" && !isSentAsId;
  return [
    ...named === undefined || isConstant || isOtherName ? [] : [named],
    ...isSentAsId ? ["useId" as const] : [],
  ];
}

function placedBy({ value, field, fills }: Use, { where, isWhole }: Source): Evidence[] {
  if (field.kind === "name") return ["inName"];
  if (fills !== "piece") return [];
  const isLink = /[/=,;:]/.test(value) && where !== "field" && !isWhole;
  return [
    ...(/^\d{1,4}$/.test(value) ? ["shortPiece" as const] : []),
    ...(isLink ? ["prose" as const] : []),
  ];
}

/** Reports whether a number in a name may be a position, which also the first id of a server is. */
function isFirstNumber({ value, field, fills, part }: Use): boolean {
  return value === "1" && field.kind === "name" && fills === "part" &&
    field.value.startsWith(part!.name);
}

/** Reports whether a value is a zero that is neither an object's id nor a version in its form. */
function isZero(use: Use, source: Source): boolean {
  if (!/^0+$/.test(use.value)) return false;
  const { idLike, stamp } = nameHint(source.key);
  const isSame = hasSameName(source.key, nameOf(use));
  return source.where === "field"
    ? !(stamp && isSame && isOfSendingPage(use, source))
    : !(idLike && isSame);
}

/** Reports whether a value is a query without a name, which a link in the response also has. */
function isQueryOfLink({ value, field, fills }: Use, { occurrence }: Source): boolean {
  const { view: { text }, start, end } = occurrence;
  return field.kind === "query" && field.name === "" && fills === "whole" &&
    /\d/.test(value) && !isShortNumber(value) && text.charAt(start - 1) === "?" &&
    /^$|["'\s#&<]/.test(text.charAt(end));
}

/**
 * Reports whether a query without a name begins with the number of a page of the session. As each
 * session of a plan starts with no pages, such a number is the same in all of them. The number of a
 * row, as in `2-1.-rows-3-edit`, is not.
 */
function isPageCount({ value, field }: Use, { call, where }: Source): boolean {
  const count = /^\d{1,4}(?!\w)/.exec(value)?.[0];
  return count !== undefined && field.kind === "query" && field.name === "" &&
    !/[A-Za-z]-\d{1,3}-/.test(value) && Number(count) <= call.order + 1 &&
    !(where === "header" && mayChangeData(call));
}

/** Reports whether a value is where a request identifies an object. */
function isIdentifying(use: Use, { key, where }: Source): boolean {
  const name = nameOf(use);
  return isInPath(use) || name === "" || where === "link" || where === "header" ||
    nameHint(name).idLike || nameHint(key).idLike || resourceWords(name).length === 0 ||
    use.field.kind === "name" || use.field.kind === "json";
}

function sourceName(value: string, source: Source, isShort: boolean): Evidence | undefined {
  const { key, where } = source;
  const hint = nameHint(key);
  if (hint.surely) return "sourceToken";
  if (hint.idLike || hint.dynamic || isNumberName(key)) {
    return "sourceId";
  }
  if (hint.maybe && value.length >= 6 && /\d/.test(value)) return "sourceId";
  if (hint.stamp && STAMP.test(value)) return "sourceStamp";
  if (isSwitch(value, source)) return "flag";
  if (where === "option" && isShort) return "sourceId";
  return isStatus(source, value) ? "flag" : undefined;
}

/** Reports whether the name of a value in a request suggests an id or a version. */
function isIdOrStampName(name: string): boolean {
  const { idLike, stamp } = nameHint(name);
  return idLike || stamp;
}

/**
 * Reports whether `--correlate json` finds a value: it is in JSON, and its shape, the name of its
 * member or that of a request's field suggests that it is dynamic.
 */
export function followsJsonRule(source: Source, value: string, uses: readonly Use[]): boolean {
  return source.isInJson && (dynamicBy(source.key, value) !== undefined ||
    uses.some((use) => use.fills !== "piece" && dynamicBy(nameOf(use), value) === "name"));
}
