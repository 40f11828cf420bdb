import {
  dynamicShape,
  isShortNumber,
  isWordy,
  looksGenerated,
} from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { resourceWords } from "./words.ts";

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
  if (isWordy(value.replace(/^[-_.]+|[-_.]+$/g, ""))) {
    if (resourceWords(value).length === 0) return "plain";
    return SHORT_WORD.test(value) ? "word" : "longWord";
  }
  if (value.length >= 5 && looksGenerated(value)) return "generated";
  const isPlain = value.split(/[^A-Za-z0-9]+/).every((part) =>
    isWordy(part) || isShortNumber(part)
  );
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && !isPlain
    ? "opaque"
    : "other";
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
