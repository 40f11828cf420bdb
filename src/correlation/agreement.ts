import { Base64Field } from "../traffic/session/base64_text.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import {
  dynamicShape,
  isShortNumber,
  isWordy,
  looksGenerated,
  nameHint,
  nameWords,
} from "../traffic/session/dynamic_value.ts";
import { headersIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { isInPath, nameOf, type Use } from "./pieces.ts";
import { defaultOption, type Source } from "./source.ts";
import { readable } from "./try_extractor.ts";
import {
  commonShare,
  consumerWords,
  contextWords,
  hasSameName,
  haveCommonWord,
  nameBefore,
  resourceWords,
} from "./words.ts";

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

/** Reports whether a value certainly does not come from a place. */
export function isOther(use: Use, source: Source): boolean {
  return isEchoedId(use, source) || isInCompound(use, source) || isTooShort(use, source) ||
    !mayBeSent(use, source);
}

/** Matches the letters of one word or of an abbreviation, with digits after them. */
const NUMBERED_WORD = /^(?:[A-Z]?[a-z]*|[A-Z]+)[-_]?\d*$/;

/** Reports whether a value is a short generated id that a script contains between quotes. */
export function isQuoted(
  { value, fills }: Use,
  { isWhole, occurrence: { view, start, end } }: Source,
): boolean {
  const quote = view.text[end];
  return !isWhole && fills !== "piece" && /^[\w-]{4,8}$/.test(value) &&
    !NUMBERED_WORD.test(value) && (quote === "'" || quote === '"' || quote === "\\") &&
    /["']/.test(view.text.charAt(start - 1));
}

/** Minimum length of a generated value next to a number, in UTF-16 code units. */
const SHORTEST_NEIGHBOUR = 12;

/** Reports whether base64 also contains a generated value of the same object or list as a number. */
export function isNeighbour(
  { field, fills, value }: Use,
  { occurrence: { view } }: Source,
): boolean {
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
export function isStatus({ isWhole, occurrence: { view } }: Source, value: string): boolean {
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
