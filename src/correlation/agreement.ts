import { isMap } from "../base/exact_number.ts";
import { valueAt } from "../extract/jsonpath.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import {
  dynamicShape,
  isOpaque,
  isShortNumber,
  nameHint,
  nameWords,
} from "../traffic/session/dynamic_value.ts";
import { headerIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { calledFunction } from "./markup_view.ts";
import { isInPath, nameOf, recordedText, type Use } from "./pieces.ts";
import {
  consumerWords,
  contextWords,
  mayChangeData,
  nameBefore,
  sendsPassword,
  stringsBeside,
} from "./request_words.ts";
import type { Source } from "./source.ts";
import { readable } from "./try_extractor.ts";
import type { Occurrence } from "./views.ts";
import {
  commonShare,
  hasSameName,
  haveCommonWord,
  isNumberName,
  PEOPLE,
  resourceWords,
} from "./words.ts";

/** How well the names of a place in a response match those in a request. */
export interface Agreement {
  /** The share of common words, from 0 to 1, or one of `SHARES`. */
  readonly share: number;
  /** Of two places with the same share, the one with the higher value is rather the source. */
  readonly tie: number;
}

/** Returns a positive number if the names of `a` agree better, and a negative one for `b`. */
export function compareAgreements(a: Agreement, b: Agreement): number {
  return a.share - b.share || a.tie - b.tie;
}

const SHARES = {
  /** The same specific name in the form of the page that sent the request, or of another page. */
  sameForm: 3,
  sameField: 2,
  /** The same specific name, object or function, or the same collection before the value. */
  same: 1,
  /**
   * A link with the same last segment before the value, as in `/cups/chosen/1`, or a name with the
   * action or the letter of the path, as `data-delete-id` for `/delete/1`, and `topic_id` for
   * `/t/1`.
   */
  otherPath: 0.9,
  /** A name of users, such as `assignee_id`, for the id in the response to the login. */
  ownUser: 0.8,
  /** Names that say little, such as `id` for `showUser(17)`. Below every share of common words. */
  abbreviated: 1e-3,
  none: 0,
};

/** Compares the names of a place in a response with those in a request. */
export function agreement(use: Use, source: Source): Agreement {
  const share = commonNames(use, source);
  return { share, tie: share === SHARES.abbreviated ? tieOf(source) : 0 };
}

/** Returns a higher number for the response to a write, and for a later response: they say more. */
function tieOf({ call }: Source): number {
  return (call.order + 1) * (mayChangeData(call) ? 1e4 : 1);
}

function commonNames(use: Use, source: Source): number {
  const name = nameOf(use);
  if (use.field.kind === "name" && source.where !== "leaf" && !isNamedId(use)) return SHARES.same;
  const { idLike, stamp } = nameHint(name);
  if (isCallOf(use, source)) return SHARES.same;
  if (source.where === "argument" && !idLike && !isInPath(use)) return SHARES.none;
  const isSpecific = source.where === "option" || source.where === "choice" ||
    resourceWords(source.key).length > 0 && (idLike || stamp) ||
    name !== "" && isOpaque(use.value);
  if (isSentBack(use, source)) return SHARES.same;
  if (isSpecific && hasSameName(source.key, name)) {
    if (source.where !== "field") return SHARES.same;
    return isOfSendingPage(use, source) ? SHARES.sameForm : SHARES.sameField;
  }
  if (source.collection !== "" && nameBefore(use) === source.collection) {
    if (isUnderSamePath(use, source.occurrence)) return SHARES.same;
    return resourceWords(source.collection).length > 0 ? SHARES.otherPath : SHARES.none;
  }
  if (stamp && nameHint(source.key).stamp) return SHARES.same;
  if (nameHint(source.key).idLike && (isOfAction(use, source.key) || isAfterInitial(use, source))) {
    return SHARES.otherPath;
  }
  const isShort = isShortNumber(use.value);
  if (isShort && source.where === "leaf" && isFlag(source)) return SHARES.none;
  if (isOwnUser(use, source)) return SHARES.ownUser;
  const naming = wordsOfLetter(source) ?? namingWords(source, isShort);
  if (haveCommonWord(naming, consumerWords(use))) {
    const words = contextWords(use);
    return Math.max(commonShare(source.words, words), commonShare(ownWords(source), words));
  }
  const isAbbreviated = source.where === "argument" && isAbbreviatedId(name, source.key) &&
    isSamePage(use.call, source.call);
  return isAbbreviated ? SHARES.abbreviated : SHARES.none;
}

/**
 * Reports whether a request sends back the object that contains a number, because another member of
 * both objects is the same generated string.
 */
function isSentBack(use: Use, { where, key, occurrence: { view: { place, response } } }: Source) {
  if (where !== "leaf" || place.kind !== "json" || !isShortNumber(use.value)) return false;
  const beside = hasSameName(key, nameOf(use)) ? stringsBeside(use) : [];
  const generated = beside.filter(([, text]) =>
    isOpaque(text) || !isShortNumber(text) && dynamicShape(text)
  );
  if (generated.length === 0) return false;
  const object = valueAt(readable(response).json, place.path.slice(0, -1));
  return isMap(object) && generated.some(([name, text]) => object[name] === text);
}

/** Reports whether a page calls a function with a value, and the request names this function. */
function isCallOf(use: Use, { where, occurrence: { view, start } }: Source): boolean {
  if (where !== "argument") return false;
  const called = calledFunction(view.text.slice(Math.max(0, start - 200), start));
  return called !== undefined && stringsBeside(use).some(([, text]) => text === called);
}

/** Reports whether a name contains the action of a path without a resource: `data-delete-id`. */
function isOfAction(use: Use, name: string): boolean {
  if (!isInPath(use) || consumerWords(use).length > 0) return false;
  const action = nameWords(nameBefore(use));
  const words = nameWords(name);
  return action.length > 0 && action.every((word) => words.includes(word));
}

/**
 * Reports whether a path begins with the first letter of a resource, as in `/t/tea/17`. A number of
 * one digit in a read, as in `/p/2`, is rather that of a page, unless the title before it is known.
 */
function isAfterInitial(use: Use, source: Source): boolean {
  const { path } = use.call.url;
  const before = isInPath(use) ? fieldsIn(path.slice(0, path.indexOf(use.field))) : [];
  const [letter, ...others] = before.map(({ value }) => value);
  if (!/^[a-z]$/.test(letter) || others.length > 1) return false;
  const { text } = readable(source.occurrence.view.response);
  const isObject = use.value.length > 1 || mayChangeData(use.call) ||
    others.some((title) => text.includes(title));
  return isObject && resourceWords(source.key).some((word) => word.startsWith(letter));
}

/**
 * Reports whether a request sends the id of the user who logged in: the response to the login has
 * it, and it is not that of a list item, such as an account of the user.
 */
function isOwnUser(
  use: Use,
  { call, key, where, occurrence: { view: { place } } }: Source,
): boolean {
  return where === "leaf" && place.kind === "json" && sendsPassword(call) && nameHint(key).idLike &&
    resourceWords(key).every((word) => PEOPLE.has(word)) &&
    !place.path.some((step) => typeof step === "number") &&
    PEOPLE.has(consumerWords(use).at(-1) ?? "");
}

/** Returns the words that begin with the letter before `id`, such as `topic` for `tid`, if any. */
function wordsOfLetter({ key, words }: Source): readonly string[] | undefined {
  const [last = "", ...qualifiers] = nameWords(key).toReversed();
  const letter = /^([a-z])id$/.exec(last)?.[1];
  const named = letter === undefined ? [] : words.filter((word) => word.startsWith(letter));
  // The `mainPid` of a topic is not the id of a topic, although nothing else names posts.
  if (letter !== undefined && qualifiers.length > 0) return [...named, ...resourceWords(key)];
  return named.some((word) => !word.endsWith("id")) ? named : undefined;
}

/** Returns the words that name the resource of a value: those of its name, if it has one. */
function namingWords(source: Source, isShort: boolean): readonly string[] {
  const { key, collection, where, isWhole, words } = source;
  // A short number after a name in a header, as in `#comment:1`, is of this name.
  if (where === "link" || where === "header" && (isWhole || !isShort)) return words;
  const isGeneric = nameHint(key).idLike || isNumberName(key) || RESULT.test(key);
  if (where === "leaf" && (!isShort || isGeneric)) return words;
  const own = [key, collection].flatMap(resourceWords);
  return own.length > 0 ? own : where === "text" && isShort && !isWhole ? [] : words;
}

/** Returns the words of the names around a value, without those of the call. */
export function ownWords({ key, collection, path }: Source): readonly string[] {
  return [key, collection, ...path].flatMap(resourceWords);
}

/** Matches the names of members that contain a result of any kind. */
const RESULT = /^(?:results?|data|response|payload|values?|ref|attributes|self)?$/i;

/** Reports whether the name of a member is a verb or a generic word, but does not suggest an id. */
function isFlag({ key }: Source): boolean {
  return resourceWords(key).length === 0 && !nameHint(key).idLike && !RESULT.test(key) &&
    !isNumberName(key);
}

/**
 * Reports whether the number in the name of a field is the id that another field of the form sends.
 */
export function isNamedId({ field, part, start }: Use): boolean {
  return part !== undefined && nameHint(part.name).idLike &&
    !field.value.slice(0, start).startsWith(part.name);
}

/** Reports whether a text has the same path before a value as a request with the value there. */
function isUnderSamePath({ call: { url: { path } }, field, start }: Use, at: Occurrence): boolean {
  if (field.kind !== "path") {
    const address = /[^\s"'<>?]*(?=\?[^\s"'<>?]*$)/.exec(at.view.text.slice(0, at.start))?.[0];
    return resourceWords(field.name).length > 0 || address === undefined ||
      address.endsWith(recordedText(path.slice(-1)));
  }
  const before = recordedText(path.slice(0, path.indexOf(field))) + field.recorded.slice(0, start);
  return at.view.text.endsWith(before, at.start);
}

/** Reports whether a name is `id`, `uid`, or `id` after the first letter of a word in `key`. */
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
  return pathOf(a) === pathOf(b) && words(a).some((word) => known.has(word));
}

/** Reports whether a place is in the page that sent the request, as far as its headers show it. */
export function isOfSendingPage(
  { call }: Pick<Use, "call">,
  source: Pick<Source, "call">,
): boolean {
  return source.call.exchange.request.url === headerIn(call, "referer")?.value;
}
