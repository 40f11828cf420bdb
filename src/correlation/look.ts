import {
  dynamicShape,
  isShortNumber,
  isWordy,
  looksGenerated,
  nameHint,
  PLAIN_WORD,
  STAMP,
  SWITCH,
} from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { isInNumbers } from "./agreement.ts";
import { nameOf, type Use } from "./pieces.ts";
import type { Source } from "./source.ts";
import { hasSameName, isTemporal, resourceWords } from "./words.ts";

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
  /^(?:-?\d+(?:\.\d+)*|-\d+|\d{4}-\d\d(?:-\d\d)?|[\w.+-]+@[\w-]+\.[\w.-]+|true|false|null|v\d{1,3}(?:\.\d+)*)$/i;

/** Matches the path of a directory, of a program, or of an API with a version. */
const CODE_NAME =
  /^[/\w.-]*(?:\/|\.(?:php|html?|aspx?|jsp|do|cgi|xhtml))$|^\/[/\w.-]*\/v\d{1,3}\/[/\w.-]*$/;

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
  if (PLAIN.test(value) || isCodeName(value)) return "plain";
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
export function isMadeAddress(value: string): boolean {
  return !/\s/.test(value) && SITE.test(value) && looksGenerated(value.replace(SITE, ""));
}

/** Reports whether a text is an id by its name, although it has spaces. */
function isNamedText({ value }: Use, { key, isWhole }: Source): boolean {
  return isWhole && nameHint(key).idLike && /\d/.test(value) && !/[\n\r]/.test(value);
}

/** Reports whether a value is an object of JSON with a long random member, such as a checksum. */
function isSealed(value: string): boolean {
  return /^\{".*\}$/s.test(value) && /"[0-9a-f]{32,}"/i.test(value);
}

export function isWordLook(look: Look | "named" | "clock"): boolean {
  return look === "word" || look === "longWord";
}

export function lookAt(use: Use, source: Source, isKnown: boolean): Look | "named" | "clock" {
  const { value } = use;
  const hint = nameHint(source.key);
  const look = lookOf(value);
  if (look === "prose" && (hint.stamp && STAMP.test(value) || isNamedText(use, source))) {
    return "other";
  }
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
export function isSwitch(value: string, { where, key }: Source): boolean {
  return /^[01]$/.test(value) && (where === "field" || where === "link") && !nameHint(key).idLike;
}

/** Reports whether a parameter is rather a switch than an id. */
export function isSentSwitch(use: Use): boolean {
  const name = nameOf(use);
  return /^[01]$/.test(use.value) && /^(?:form|multipart|query)$/.test(use.field.kind) &&
    name !== "" && !nameHint(name).idLike;
}

function isTimeInBoth(use: Use, { key }: Source): boolean {
  const name = nameOf(use);
  return hasSameName(key, name) || (isTemporal(key) && isTemporal(name));
}
