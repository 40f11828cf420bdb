import {
  dynamicBy,
  dynamicShape,
  isShortNumber,
  isWordy,
  looksGenerated,
  nameHint,
  nameWords,
} from "../traffic/session/dynamic_value.ts";
import type { SessionEvidence } from "./evidence.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { headersIn } from "../traffic/session/recorded_call.ts";
import { isInPath, nameOf, type Use } from "./pieces.ts";
import { readable } from "./try_extractor.ts";
import { defaultOption, type Source } from "./source.ts";
import {
  commonShare,
  consumerWords,
  contextWords,
  hasSameName,
  haveCommonWord,
  isCount,
  isTemporal,
  mayChangeData,
  nameBefore,
  resourceWords,
} from "./words.ts";

/**
 * Weights of what a value looks like, what its names in the response and in the request suggest, and
 * where both contain it. A piece of a request is a variable if their sum is at least `THRESHOLD`.
 */
const WEIGHTS = {
  /** What the value looks like. */
  random: 3,
  generated: 2,
  number: 1,
  opaque: 1,
  named: 0.5,
  year: -0.5,
  other: -1,
  longWord: -1,
  shortNumber: -2,
  word: -2.5,
  plain: -9,
  prose: -9,
  clock: -2,
  /** What the name of the value in the response suggests. */
  sourceToken: 2.5,
  sourceId: 2,
  sourceStamp: 2,
  sourceCount: -2,
  flag: -1,
  /** What the name of the value in the request suggests. */
  useToken: 1,
  useId: 0.5,
  useCount: -3,
  /** Both names are the same, or name the same resource. */
  agreement: 1.5,
  /** Where the response contains the value. */
  leaf: 1,
  field: 1,
  header: 1,
  named_text: 0.5,
  text: 0,
  link: 0.5,
  argument: 0.5,
  glued: -3,
  gluedByWrite: 0,
  /** A short id between quotes in a script. */
  quoted: 3,
  option: 0.5,
  choice: -1,
  /** The request sends it in the same base64 as a generated value next to it in the response. */
  neighbour: 3,
  /** The position of the number in the name of a form field is the same. */
  inName: 0.5,
  /** What the order of the calls suggests. */
  created: 2,
  followed: 3,
  /** Where the request contains the value. */
  shortPiece: -1.5,
} as const;

/** Minimum sum of weights for a variable. */
export const THRESHOLD = 2;

/** Matches the version of a resource: a number, a time, an entity tag, or base64. */
const STAMP =
  /^(?:\d+|\d{4}-\d\d-\d\d[T .]\d\d:\d\d\S*|(?:W\/)?"[^"]*"|[\w+/]{7,}=*=|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT)$/;

/** Something that makes it more or less probable that a piece of a request comes from a place. */
export type Evidence = keyof typeof WEIGHTS;

/** Returns the sum of the weights of some evidence. */
export function sumOf(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, one) => sum + WEIGHTS[one], 0);
}

/**
 * Returns the evidence that a piece of a request is the value at a place in a response. `first` is the
 * first place that contains the value. `isKnown` means that another piece with the same value is a
 * variable.
 */
export function evidenceFor(
  use: Use,
  source: Source,
  first: Source,
  session: SessionEvidence,
  isKnown = false,
): Evidence[] {
  const agrees = agreement(use, source) > 0;
  const look = lookAt(use, source, isKnown && agrees);
  const isWord = look === "word" || look === "longWord";
  if (WEIGHTS[look] === WEIGHTS.prose || isOther(use, source)) return ["prose"];
  // A word within a longer text is a part of a name.
  if (isWord && use.fills === "piece") return ["prose"];
  const { value } = use;
  const { where } = source;
  const isShort = look === "shortNumber";
  const isByWrite = where === "glued" && mayChangeData(source.step);
  const found: Evidence[] = [look, isByWrite ? "gluedByWrite" : where];
  // The name in a link comes from the path, which names a collection for words, too.
  const named = where === "link" || where === "glued"
    ? undefined
    : sourceName(value, source, isShort);
  if (named !== undefined) found.push(named);
  const useNamed = isInPath(use) ? undefined : useName(nameOf(use), isShort);
  if (useNamed !== undefined) found.push(useNamed);
  // Two words under the same name are rather a constant.
  if (agrees && !(isWord && !isInPath(use))) found.push("agreement");
  if (isIdentifying(use, source) && session.isCreated(use, source, first)) found.push("created");
  if (/\d/.test(value) && session.isFollowed(use, source)) found.push("followed");
  if ((look === "other" || look === "generated") && isQuoted(use, source)) found.push("quoted");
  if (isShort && isNeighbour(use, source)) found.push("neighbour");
  if (use.field.kind === "name") found.push("inName");
  else if (use.fills === "piece") {
    if (/^\d{1,4}$/.test(value)) found.push("shortPiece");
    if (/[/=,;:]/.test(value) && where !== "field" && !source.isWhole) found.push("prose");
  }
  return found;
}

/** Reports whether a value is where a request identifies an object. */
function isIdentifying(use: Use, { key, where }: Source): boolean {
  const name = nameOf(use);
  return isInPath(use) || name === "" || where === "link" || where === "header" ||
    nameHint(name).idLike || nameHint(key).idLike || resourceWords(name).length === 0 ||
    use.field.kind === "name" || use.field.kind === "json";
}

/** Returns what a value looks like at this place. */
function lookAt(use: Use, source: Source, isKnown: boolean): Look | "named" | "clock" {
  const { value } = use;
  const hint = nameHint(source.key);
  const look = lookOf(value);
  if (look === "prose" && hint.stamp && STAMP.test(value)) return "other";
  if (isClockLike(value, source.step) && !isTimeInBoth(use, source)) return "clock";
  if (look === "shortNumber" && isKnown) return "number";
  const isPlain = look === "word" || look === "longWord" || look === "other";
  return hint.surely && isPlain && !SWITCH.test(value) ? "named" : look;
}

/** Returns what the name of a value in a response suggests. */
function sourceName(value: string, source: Source, isShort: boolean): Evidence | undefined {
  const { key, where } = source;
  const hint = nameHint(key);
  if (hint.surely) return "sourceToken";
  if (hint.idLike || hint.dynamic || NUMBER_NAMES.has(nameWords(key).at(-1) ?? "")) {
    return "sourceId";
  }
  if (hint.maybe && value.length >= 6 && /\d/.test(value)) return "sourceId";
  if (hint.stamp && STAMP.test(value)) return "sourceStamp";
  if (where === "option" && isShort) return "sourceId";
  if (isShort && isCount(key)) return "sourceCount";
  return isStatus(source, value) ? "flag" : undefined;
}

/** Returns what the name of a value in a request suggests. */
function useName(name: string, isShort: boolean): Evidence | undefined {
  const hint = nameHint(name);
  if (hint.token) return "useToken";
  if (hint.idLike || hint.stamp) return "useId";
  return isShort && isCount(name) ? "useCount" : undefined;
}

/** Reports whether a value certainly does not come from a place. */
function isOther(use: Use, source: Source): boolean {
  return isEchoedId(use, source) || isInCompound(use, source) || isTooShort(use, source) ||
    !mayBeSent(use, source);
}

/** Matches the letters of one word or of an abbreviation, with digits after them. */
const NUMBERED_WORD = /^(?:[A-Z]?[a-z]*|[A-Z]+)[-_]?\d*$/;

/** Reports whether a value is a short generated id that a script contains between quotes. */
function isQuoted({ value, fills }: Use, { isWhole, occurrence: { view, start, end } }: Source) {
  const quote = view.text[end];
  return !isWhole && fills !== "piece" && /^[\w-]{4,8}$/.test(value) &&
    !NUMBERED_WORD.test(value) && (quote === "'" || quote === '"' || quote === "\\") &&
    /["']/.test(view.text.charAt(start - 1));
}

/** Minimum length of a generated value next to a number, in UTF-16 code units. */
const SHORTEST_NEIGHBOUR = 12;

/** Reports whether base64 also contains a generated value of the same object or list as a number. */
function isNeighbour({ field, fills, value }: Use, { occurrence: { view } }: Source): boolean {
  if (!(field instanceof Base64Field) || fills !== "part" || view.place.kind !== "json") {
    return false;
  }
  let around = readable(view.response).json;
  for (const name of view.place.path.slice(0, -1)) {
    around = (around as Record<string | number, unknown> | undefined)?.[name];
  }
  const beside = Object.values(around ?? {}).map(String);
  return beside.filter((one) => one === value).length === 1 &&
    field.parts().map(({ start, end }) => field.value.slice(start, end)).some((part) =>
      part.length >= SHORTEST_NEIGHBOUR && beside.includes(part) && looksGenerated(part)
    );
}

/** Reports whether a value is so short that longer text contains it by chance. */
function isTooShort({ value }: Use, { isWhole }: Source): boolean {
  return !isWhole && value.length < 4 && !isShortNumber(value);
}

/** Reports whether a value is the whole result of an operation, so that it may be a status. */
function isStatus({ isWhole, occurrence: { view } }: Source, value: string): boolean {
  return isWhole && (value === "0" || value === "1") && view.place.kind === "json" &&
    view.place.path.length < 2;
}

/** Reports whether a number is part of a compound, such as a version. */
function isInCompound(
  { value, field }: Use,
  { isWhole, occurrence: { view, end } }: Source,
): boolean {
  return !isWhole && field.kind !== "name" && /^\d{1,7}$/.test(value) &&
    /^[-.]\w/.test(view.text.slice(end, end + 2));
}

/** Reports whether a browser can send a value in this field. */
function mayBeSent(use: Use, { where, key, occurrence, left }: Source): boolean {
  const { value, field, start } = use;
  if (field.kind === "name" && where !== "leaf") {
    return left !== "" && field.value.slice(0, start).startsWith(left);
  }
  if (where !== "option" && where !== "choice") return true;
  const mayBeId = defaultOption(occurrence)?.mayBeId ?? false;
  return hasSameName(key, nameOf(use)) &&
    (isShortNumber(value) ? where === "choice" || mayBeId || nameHint(key).idLike : !isCode(value));
}

/** Matches a number at the end of a name, as in `component-12`. */
const LAST_NUMBER = /[-_. ]?\d{1,3}$/;

/** Reports whether the value of an option looks like a code or a name that the user reads. */
function isCode(value: string): boolean {
  if (dynamicShape(value) !== undefined) return false;
  return !looksGenerated(value) || isWordy(value.replace(LAST_NUMBER, ""));
}

/** Reports whether a value is the id of a JSON-RPC request, which the response returns. */
function isEchoedId({ value }: Use, { step: { body }, path, key }: Source): boolean {
  return key === "id" && path.length === 1 && body?.kind === "json" && body.rpcIds.has(value);
}

const SWITCH = /^(?:true|false|null|none|undefined)$/i;

/** Last words of names of fields that contain the number of a resource. */
const NUMBER_NAMES = new Set(["number", "num", "no", "nr", "iid", "pk"]);

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

/** Classifies a value by its characters. */
export function lookOf(value: string): Look {
  let look = looks.get(value);
  if (look === undefined) {
    look = classify(value);
    if (looks.size < 100_000) looks.set(value, look);
  }
  return look;
}

const SHORT_WORD = /^(?:[a-z]{1,7}|[A-Z]{1,7}|[A-Z][a-z]{1,6})$/;
/** Matches fractions, negative numbers, dates, versions and addresses. */
const PLAIN =
  /^(?:-?\d+(?:\.\d+)*|-\d+|\d{4}-\d\d(?:-\d\d)?|[\w.+-]+@[\w-]+\.[\w.-]+|true|false|null|v\d{1,3}(?:\.\d+)*)$/i;

/** Reports whether a value is the name or the path of a program, such as `/admin/post-new.php`. */
function isCodeName(value: string): boolean {
  return /^[/\w.-]*(?:\/|\.(?:php|html?|aspx?|jsp|do|cgi|xhtml))$/.test(value) &&
    value.replace(/\.\w+$/, "").split(/[/.]/).every((part) => part === "" || isWordy(part));
}

function classify(value: string): Look {
  if (/\s|^https?:\/\//i.test(value) && dynamicShape(value) === undefined) return "prose";
  if (isShortNumber(value)) return "shortNumber";
  const shape = dynamicShape(value);
  if (/^(?:19|20)\d\d$/.test(value)) return "year";
  if (shape === "number") return value.length >= 8 ? "generated" : "number";
  if (shape !== undefined) return "random";
  if (PLAIN.test(value) || isCodeName(value)) return "plain";
  if (isWordy(value)) {
    if (resourceWords(value).length === 0) return "plain";
    return SHORT_WORD.test(value) ? "word" : "longWord";
  }

  if (value.length >= 5 && looksGenerated(value)) return "generated";
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) ? "opaque" : "other";
}

function isTimeInBoth(use: Use, { key }: Source): boolean {
  const name = nameOf(use);
  return hasSameName(key, name) || (isTemporal(key) && isTemporal(name));
}

/**
 * Returns a score of how well the place of a value in a response matches its place in a request: 0
 * if neither names nor collections agree, 1 to 3 for the same specific name or collection, otherwise
 * the share of common words that name their resources.
 */
export function agreement(use: Use, source: Source): number {
  if (use.field.kind === "name" && source.where !== "leaf") return 1;
  const name = nameOf(use);
  const { idLike, stamp } = nameHint(name);
  if (source.where === "argument" && !idLike && !isInPath(use)) return 0;
  const isSpecific = source.where === "option" || source.where === "choice" ||
    resourceWords(source.key).length > 0 && (idLike || stamp);
  if (isSpecific && hasSameName(source.key, name)) {
    if (source.where !== "field") return 1;
    return source.step.exchange.request.url === refererOf(use.call) ? 3 : 2;
  }
  if (source.collection !== "" && nameBefore(use) === source.collection) return 1;
  if (stamp && nameHint(source.key).stamp) return 1;
  if (haveCommonWord(source.words, consumerWords(use))) {
    return commonShare(source.words, contextWords(use));
  }
  const isAbbreviated = source.where === "argument" && isAbbreviatedId(name, source.key);
  return isAbbreviated && isSamePage(use.call, source.step) ? LOW_SCORE : 0;
}

/** Score below every share of common words. */
const LOW_SCORE = 1e-6;

/** Reports whether a name is \`id\`, \`uid\`, or \`id\` after the first letter of a word in \`key\`. */
function isAbbreviatedId(name: string, key: string): boolean {
  const [word = "", ...others] = nameWords(name);
  if (others.length > 0 || !/^[a-z]?id$/.test(word)) return false;
  return word === "id" || word === "uid" ||
    resourceWords(key).some((object) => object.startsWith(word[0]));
}

/** Reports whether two URLs have the same path and a parameter in common whose value is a word. */
function isSamePage(a: RecordedCall, b: RecordedCall): boolean {
  const pathOf = ({ exchange }: RecordedCall) => exchange.request.url.replace(/[?#].*$/s, "");
  const words = ({ url }: RecordedCall) =>
    fieldsIn(url.query).filter(({ value }) => /^[A-Za-z]{3,}$/.test(value))
      .map(({ name, value }) => `${name}=${value}`);
  const known = new Set(words(b));
  return pathOf(a) === pathOf(b) && words(a).some((one) => known.has(one));
}

function refererOf(call: RecordedCall): string | undefined {
  return headersIn(call).find(({ name }) => name.toLowerCase() === "referer")?.value;
}

/** Maximum difference between a Unix time and the time of its response, in milliseconds. */
const NEAR_MS = 2 * 86_400_000;
const CLOCK = /^\d{10}(?:\d{3}){0,3}$/;

/** Reports whether a value is a Unix time near the time of the response. */
export function isClockLike(value: string, { exchange }: RecordedCall): boolean {
  if (!CLOCK.test(value)) return false;
  const milliseconds = Number(value) / 10 ** (value.length - 13);
  const date = exchange.response.headers.find(({ name }) => name.toLowerCase() === "date")?.value;
  const times = [Date.parse(date ?? ""), exchange.startedAt];
  return times.some((time) => Math.abs(milliseconds - time) <= NEAR_MS);
}

/**
 * Reports whether the narrow rule finds a value: the name of a JSON member or the value's shape
 * suggests that it is dynamic, or the name of a request's field does.
 */
export function isNarrow(key: string, value: string, uses: readonly Use[]): boolean {
  return dynamicBy(key, value) !== undefined ||
    uses.some((use) => use.fills !== "piece" && dynamicBy(nameOf(use), value) === "name");
}

/** Phrases for the evidence that makes a value a variable. */
const PHRASES: Partial<Record<Evidence, string>> = {
  random: "random",
  generated: "looks generated",
  number: "a number",
  named: "dynamic because of its name",
  sourceToken: "named like a token",
  sourceId: "named like an id",
  sourceStamp: "named like a version",
  useToken: "sent as a token",
  useId: "sent as an id",
  agreement: "the names in the response and the request agree",
  field: "an input or meta tag of a page",
  option: "the option that a browser sends by default",
  created: "created by an earlier request",
  followed: "the target of a redirect",
  inName: "part of a field's name",
  glued: "after letters",
};

/** Describes the evidence that makes a value a variable. */
export function describeEvidence(evidence: readonly Evidence[]): string[] {
  const phrases = evidence.flatMap((one) => WEIGHTS[one] > 0 ? PHRASES[one] ?? [] : []);
  return phrases.length > 0 ? phrases : ["dynamic because of how requests use it"];
}
