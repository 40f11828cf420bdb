import {
  isShortNumber,
  looksGenerated,
  nameHint,
  STAMP,
  SWITCH,
} from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { isPathSegment } from "../traffic/session/request_field.ts";
import { agreement, isOfSendingPage } from "./agreement.ts";
import { isEndOfName, isInPath, nameOf, type Use } from "./pieces.ts";
import {
  isAction,
  isCodeOption,
  isInNumbers,
  isQuoted,
  isStatus,
  isUnrelated,
  isUploaded,
} from "./place_rules.ts";
import { type Evidence, type Look, lookOf } from "./prior.ts";
import { consumerWords, mayChangeData } from "./request_words.ts";
import type { SessionEvidence } from "./session_evidence.ts";
import type { Source } from "./source.ts";
import { outerPlace } from "./views.ts";
import { hasSameName, isCount, isNumberName, isTemporal, resourceWords } from "./words.ts";

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
    isEndOfName(use) && !source.isWhole || isPageCount(use, source) || isCountOfId(use, source)
      ? ["ruledOut"]
      : undefined,
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
    : isTimeOfForm(use, source)
    ? "sourceStamp"
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

/** Reports whether a request sends a short number as a count, and the response has it as an id. */
function isCountOfId(use: Use, { key }: Source): boolean {
  return isShortNumber(use.value) && isCount(nameOf(use)) && nameHint(key).idLike;
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
  // A page's settings also switch fields with the name of a number.
  const isNumber = isNumberName(key) && !(where === "named_text" && /^[01]$/.test(value));
  if (hint.idLike || hint.dynamic || isNumber) return "sourceId";
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

/** Maximum difference between a Unix time and the time of its response, in milliseconds. */
const NEAR_MS = 2 * 86_400_000;

const CLOCK = /^\d{10}(?:\d{3}){0,3}$/;

function isClockLike(value: string, { exchange }: RecordedCall): boolean {
  if (!CLOCK.test(value)) return false;
  const milliseconds = Number(value) / 10 ** (value.length - 13);
  const date = exchange.response.headers.find(({ name }) => name.toLowerCase() === "date")?.value;
  const times = [Date.parse(date ?? ""), exchange.startedAt];
  return times.some((time) => Math.abs(milliseconds - time) <= NEAR_MS);
}

/** Matches the site of a link, and the host of an e-mail address. */
const SITE = /^https?:\/\/[^/?#]*|@[\w.-]+$/i;

/** Reports whether a value is a link or an e-mail address with a generated part. */
function isMadeAddress(value: string): boolean {
  return !/\s/.test(value) && SITE.test(value) && looksGenerated(value.replace(SITE, ""));
}

const TIME = /^\d{4}-\d\d-\d\d[T .]\d\d:\d\d\S*$/;

/** Reports whether a value is a time in a field of a page, which sends it back under its name. */
function isTimeOfForm(use: Use, { where, key }: Source): boolean {
  return where === "field" && TIME.test(use.value) && hasSameName(key, nameOf(use));
}

/** Reports whether a text is an id by its name, although it has spaces. */
function isNamedText({ value }: Use, { key, isWhole }: Source): boolean {
  return isWhole && nameHint(key).idLike && /\d/.test(value) && !/[\n\r]/.test(value);
}

/** Reports whether a value is an object of JSON with a long random member, such as a checksum. */
function isSealed(value: string): boolean {
  return /^\{".*\}$/s.test(value) && /"[0-9a-f]{32,}"/i.test(value);
}

function isWordLook(look: Look | "named" | "clock"): boolean {
  return look === "word" || look === "longWord";
}

function lookAt(use: Use, source: Source, isKnown: boolean): Look | "named" | "clock" {
  const { value } = use;
  const hint = nameHint(source.key);
  const look = lookOf(value);
  const isStamp = hint.stamp && STAMP.test(value) || isTimeOfForm(use, source);
  if (look === "prose" && (isStamp || isNamedText(use, source))) return "other";
  if ((look === "prose" || look === "plain") && source.isWhole && isMadeAddress(value)) {
    return "generated";
  }
  if (look === "prose" && source.isWhole && isSealed(value)) return "opaque";
  if (isClockLike(value, source.call) && !isTimeInBoth(use, source)) return "clock";
  if (look === "shortNumber" && isKnown && !isSentSwitch(use) && !isInNumbers(source)) {
    return "number";
  }
  const isPlain = look === "word" || look === "longWord" || look === "other";
  return hint.surely && isPlain && !SWITCH.test(value) ? "named" : look;
}

/** Reports whether a value of a form or a link is rather a switch than an id. */
function isSwitch(value: string, { where, key }: Source): boolean {
  return /^[01]$/.test(value) && (where === "field" || where === "link") && !nameHint(key).idLike;
}

/** Reports whether a parameter is rather a switch than an id. */
function isSentSwitch(use: Use): boolean {
  const name = nameOf(use);
  return /^[01]$/.test(use.value) && /^(?:form|multipart|query)$/.test(use.field.kind) &&
    name !== "" && !nameHint(name).idLike;
}

function isTimeInBoth(use: Use, { key }: Source): boolean {
  const name = nameOf(use);
  return hasSameName(key, name) || (isTemporal(key) && isTemporal(name));
}
