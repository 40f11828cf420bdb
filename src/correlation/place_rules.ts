import { valueAt } from "../extract/jsonpath.ts";
import {
  dynamicShape,
  isShortNumber,
  isWordy,
  looksGenerated,
  nameHint,
  nameWords,
} from "../traffic/session/dynamic_value.ts";
import { isNamedId } from "./agreement.ts";
import { isInPath, nameOf, recordedText, type Use } from "./pieces.ts";
import { consumerWords, mayChangeData } from "./request_words.ts";
import { defaultOption, isInLayout, type Source } from "./source.ts";
import { readable } from "./try_extractor.ts";
import type { Occurrence } from "./views.ts";
import { isPathSegment } from "../traffic/session/request_field.ts";
import { FORMATS, hasSameName, haveCommonWord, isCount, resourceWords } from "./words.ts";

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

/** Minimum length of a word that two titles have in common, in UTF-16 code units. */
const SHORTEST_TITLE_WORD = 3;
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
      (isInCompound(use, source) || isTooShort(use, source) || isOfTitle(use, source) ||
        !mayBeSent(use, source));
}

/**
 * Reports whether the title of a page begins with a short number, as in `/24-hours`. It is an id if
 * a write returned it and has a word of the title, or one in other letters.
 */
function isOfTitle(use: Use, { call, occurrence }: Source): boolean {
  const { value, field: { value: segment }, start, end } = use;
  if (!isPathSegment(use.field) || start > 0 || !isShortNumber(value)) return false;
  if (!/^\d+-[A-Za-z]/.test(segment)) return false;
  if (!mayChangeData(call)) return true;
  const sent = call.fields.map(({ value }) => value).join("\n");
  const text = `${sent}\n${readable(occurrence.view.response).text}`.toLowerCase();
  const title = nameWords(segment.slice(end).replace(/\.\w+$/, ""));
  return !/[^\0-\x7f]/.test(sent) &&
    !title.some((word) => word.length >= SHORTEST_TITLE_WORD && text.includes(word));
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

/** Reports whether a place is one of several numbers in a list. */
export function isInNumbers({ isWhole, occurrence: { view } }: Source): boolean {
  if (!isWhole || view.place.kind !== "json") return false;
  const list = valueAt(readable(view.response).json, view.place.path.slice(0, -1));
  return Array.isArray(list) && list.filter((item) => typeof item !== "string").length > 1;
}

/** Reports whether a value is so short that longer text contains it by chance. */
function isTooShort({ value }: Use, { collection, isWhole }: Source): boolean {
  const isNamed = /\d/.test(value) && collection !== "";
  return !isWhole && value.length < 4 && !isShortNumber(value) && !isNamed;
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

/** Reports whether the words of a field's name only name a format, as `ajax` does. */
function isFormatName(name: string): boolean {
  const words = nameWords(name);
  return words.length > 0 && words.every((word) => FORMATS.has(word));
}
