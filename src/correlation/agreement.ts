import { isMap } from "../base/exact_number.ts";
import { valueAt } from "../extract/jsonpath.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import {
  dynamicShape,
  isOpaque,
  isShortNumber,
  isWordy,
  looksGenerated,
  nameHint,
  nameWords,
} from "../traffic/session/dynamic_value.ts";
import { headerIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { calledFunction } from "./markup_view.ts";
import { isInPath, nameOf, recordedText, type Use } from "./pieces.ts";
import { defaultOption, isInLayout, type Source } from "./source.ts";
import { readable } from "./try_extractor.ts";
import type { Occurrence } from "./views.ts";
import {
  consumerWords,
  contextWords,
  mayChangeData,
  nameBefore,
  stringsBeside,
} from "./request_words.ts";
import {
  commonShare,
  hasSameName,
  haveCommonWord,
  isCount,
  isFormatName,
  isNumberName,
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
   * action of the path, as `data-delete-id` for `/delete/1`.
   */
  otherPath: 0.9,
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
  if (nameHint(source.key).idLike && isOfAction(use, source.key)) return SHARES.otherPath;
  const isShort = isShortNumber(use.value);
  if (isShort && source.where === "leaf" && isFlag(source)) return SHARES.none;
  if (haveCommonWord(namingWords(source, isShort), consumerWords(use))) {
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
function isNamedId({ field, part, start }: Use): boolean {
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

/**
 * Reports whether a response contains the path of a request that changes data, around the value: as
 * the target of a form, a link or a button.
 */
export function isAction({ call, field, start }: Use, { view, start: at }: Occurrence): boolean {
  if (field.kind !== "path" || !mayChangeData(call)) return false;
  const { path } = call.url;
  const before = recordedText(path.slice(0, path.indexOf(field))).length + start;
  const whole = recordedText(path);
  return view.text.startsWith(whole, at - before) &&
    !/[\w/-]/.test(view.text.charAt(at - before + whole.length));
}

/** Matches a page up to a place in the address of a link. */
const LINK_BEFORE = /\shref\s*=\s*["']?(?:https?:\/\/[^/"']*|(?:\.\.?\/)*)([^\s"'<>#]*)$/i;

/**
 * Reports whether a place is in a link to the address of the request, around the value. A word
 * without a digit rather names a part of the application.
 */
export function isLinkTo(
  { value, call: { url }, field, start }: Use,
  { view, start: at }: Occurrence,
): boolean {
  const pieces = [...url.path, ...url.query];
  if (!/\d/.test(value) || !pieces.includes(field)) return false;
  const before = LINK_BEFORE.exec(view.text.slice(Math.max(0, at - 300), at))?.[1];
  if (before === undefined) return false;
  const link = before + /^[^\s"'<>#]*/.exec(view.text.slice(at, at + 300))![0];
  const [from] = field.recordedRange(start, start);
  const offset = recordedText(pieces.slice(0, pieces.indexOf(field))).length + from;
  const address = recordedText(pieces);
  return address.endsWith(link) && address.length - link.length + before.length === offset &&
    (link.startsWith("/") || address.at(-link.length - 1) === "/");
}

export function isUploaded({ value, fills }: Use, { call: { body }, isWhole }: Source): boolean {
  return isWhole && fills !== "piece" && body?.kind === "multipart" &&
    body.parts.some(({ recorded: { filename } }) =>
      filename !== undefined && filename !== "" && value.endsWith(`/${filename}`)
    );
}

/** Reports whether a value certainly does not come from a place. */
export function isUnrelated(use: Use, source: Source): boolean {
  return isEchoedId(use, source) || isInText(use, source) || isIdentifier(use, source) ||
    isOperand(use, source) ||
    source.others === undefined &&
      (isInCompound(use, source) || isTooShort(use, source) || !mayBeSent(use, source));
}

/** Reports whether a place is the name of an object or a function in a script, as in `auth.id`. */
function isIdentifier({ value }: Use, { isWhole, occurrence: { view, start, end } }: Source) {
  return !isWhole && /^[A-Za-z_$]+$/.test(value) &&
    /[=:(,?!&|+]\s*$/.test(view.text.slice(Math.max(0, start - 10), start)) &&
    /^(?:\.[A-Za-z_$]|[([])/.test(view.text.slice(end, end + 2));
}

/** Reports whether a place is a number that a script adds or subtracts, as in `indexOf(":")+1`. */
function isOperand({ value }: Use, { isWhole, occurrence: { view, start } }: Source): boolean {
  return !isWhole && isShortNumber(value) &&
    /[)\]]\s*[-+*]\s*$/.test(view.text.slice(Math.max(0, start - 10), start));
}

/**
 * Reports whether a place contains not only a value, but the whole text around it in the request.
 */
function isInText({ field, fills, start }: Use, { occurrence }: Source): boolean {
  return fills === "piece" && /\s/.test(field.value) &&
    occurrence.view.text.startsWith(field.value, occurrence.start - start);
}

/**
 * Matches the letters of one word or of an abbreviation with digits after them, or several words.
 */
const NUMBERED_WORD = /^(?:(?:[A-Z]?[a-z]*|[A-Z]+)[-_]?\d*|[a-z_-]+[-_]\d{1,2})$/;

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

export function isInOnlyItem({ occurrence: { view } }: Source): boolean {
  if (view.place.kind !== "json") return false;
  const { path } = view.place;
  const list = valueAt(
    readable(view.response).json,
    path.slice(0, path.findLastIndex((step) => typeof step === "number")),
  );
  return Array.isArray(list) && list.length === 1;
}

/** Reports whether a place is one of several numbers in a list. */
export function isInNumbers({ isWhole, occurrence: { view } }: Source): boolean {
  if (!isWhole || view.place.kind !== "json") return false;
  const list = valueAt(readable(view.response).json, view.place.path.slice(0, -1));
  return Array.isArray(list) && list.filter((item) => typeof item !== "string").length > 1;
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

function isInCompound(
  { value, field }: Use,
  { isWhole, occurrence: { view, end } }: Source,
): boolean {
  return !isWhole && field.kind !== "name" && /^\d{1,7}$/.test(value) &&
    /^[-.]\w/.test(view.text.slice(end, end + 2));
}

/** Reports whether a browser can send a value in this field. */
function mayBeSent(use: Use, source: Source): boolean {
  const { value, field, start } = use;
  const { where, key, occurrence, left, collection } = source;
  if (isShortNumber(value)) {
    if (where === "button" || isInLayout(occurrence)) return false;
    if (
      field.kind === "header" && use.fills === "whole" && !nameHint(field.name).idLike &&
      !hasSameName(key, field.name)
    ) {
      return false;
    }
    const isSwitch = value.length === 1 && !isInPath(use) && isFormatName(nameOf(use));
    if ((isCount(key) || isSwitch) && !hasSameName(key, nameOf(use))) return false;
  }
  if (field.kind === "name" && where !== "leaf" && !isNamedId(use)) {
    return left !== "" && field.value.slice(0, start).startsWith(left) ||
      where === "link" && haveCommonWord(resourceWords(collection), consumerWords(use));
  }
  if (where !== "option" && where !== "choice") return true;
  const mayBeId = defaultOption(occurrence)?.mayBeId ?? false;
  return hasSameName(key, nameOf(use)) &&
    (!isShortNumber(value) || where === "choice" || mayBeId || nameHint(key).idLike);
}

const LAST_NUMBER = /[-_. ]?\d{1,3}$/;

/**
 * Reports whether the value of an option looks like a code or a name that the user reads. Only the
 * text of the option then shows whether it is that of an object.
 */
export function isCodeOption({ value }: Use, { where }: Source): boolean {
  if (where !== "option" && where !== "choice" || isShortNumber(value)) return false;
  if (dynamicShape(value) !== undefined) return false;
  return !looksGenerated(value) || isWordy(value.replace(LAST_NUMBER, ""));
}

/** Reports whether a value is the id of a JSON-RPC request, which the response returns. */
function isEchoedId({ value }: Use, { call: { body }, path, key }: Source): boolean {
  return key === "id" && path.length === 1 && body?.kind === "json" && body.rpcIds.has(value);
}
