import { parseExactJson } from "../../src/base/exact_number.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";

/** Changes a response in a way that must not matter to a plan. */
export type Alter = (text: string, mimeType: string) => string;

/**
 * Returns changes of responses that must not matter, keyed by their names. Text that requests of
 * the recording contain does not change.
 */
export function bystanders({ exchanges }: Recording): ReadonlyMap<string, Alter> {
  const sent = exchanges.map(({ request }) => JSON.stringify([request.url, request.body]))
    .join("\n");
  const unsent = (change: (date: string) => string) => (date: string) =>
    sent.includes(date) || sent.includes(encodeURIComponent(date)) ? date : change(date);
  return new Map<string, Alter>([
    ["another day", (text) => text.replace(DATE, unsent((date) => withOtherDay(date)))],
    ["dates in another language", (text) => text.replace(DATE, unsent((date) => inGerman(date)))],
    ["other objects", (text, type) => withRow(text, type, "after")],
    ["objects of another user", (text, type) => withRow(text, type, "before")],
  ]);
}

const MONTHS: Readonly<Record<string, string>> = {
  January: "Januar",
  February: "Februar",
  March: "März",
  May: "Mai",
  October: "Oktober",
  December: "Dezember",
  Oct: "Okt",
  Dec: "Dez",
};
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?";
const DATE = new RegExp(
  `\\b(?:\\d{1,2} ${MONTH} \\d{4}|${MONTH} \\d{1,2}, \\d{4}|\\d{1,2}/\\d{1,2}/\\d{4}` +
    `|\\d{4}-\\d\\d-\\d\\d(?![T.]|[ +]\\d\\d:)|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\\b`,
  "g",
);

function withOtherDay(date: string): string {
  if (date.endsWith("day")) return date === "Monday" ? "Friday" : "Monday";
  return date.replace(/\b\d{1,2}\b(?!.*\b\d{1,2}\b)/, (day) => {
    const other = String((Number(day) + 8) % 28 + 1);
    return day.length === 2 ? other.padStart(2, "0") : other;
  });
}

function inGerman(date: string): string {
  if (date.endsWith("day")) return "Samstag";
  return date.replace(/[A-Z][a-z]+/, (month) => MONTHS[month] ?? `${month.slice(0, 3)}.`)
    .replace(/^(\S+) (\d+), (\d+)$/, "$2. $1 $3");
}

/** Adds another object to each list of a page or of JSON that shows objects. */
function withRow(text: string, mimeType: string, where: "before" | "after"): string {
  if (mimeType.includes("json")) return withJsonRow(text, where);
  if (!mimeType.includes("html")) return text;
  return [/(?:<tr\b(?:(?!<tr\b|<\/table)[^])*?<\/tr>\s*)+/g, LIST_ITEMS].reduce(
    (page, rows) =>
      page.replace(rows, (list: string) => {
        const all = list.match(/<(tr|li)\b[^]*?<\/\1>/g)!;
        const row = all.find((one) => /href="[^"]*\d/.test(one) && !/<(?:form|input)\b/.test(one));
        if (row === undefined) return list;
        return where === "before" ? otherRow(row) + list : list + otherRow(row);
      }),
    text,
  );
}

const LIST_ITEMS = /(?:<li\b(?:(?!<li\b|<\/ul|<\/ol)[^])*?<\/li>\s*)+/g;

function otherRow(row: string): string {
  return otherNumbers(row).replace(/>([^<>]*[a-z][^<>]*)</gi, ">$1 of Bob<");
}

function otherNumbers(text: string): string {
  return text.replace(/(?<![\w-])\d{1,12}(?![\w-])/g, (number) => String(Number(number) + 731));
}

function withJsonRow(text: string, where: "before" | "after"): string {
  try {
    return JSON.stringify(parseExactJson(text), (_, value) => {
      if (!Array.isArray(value) || typeof value[0]?.id === "undefined") return value;
      // Rows that show only ids cannot be distinguished.
      if (!Object.entries(value[0]).some(([name, one]) => isTelling(name, one))) return value;
      const other = JSON.parse(JSON.stringify(value[0]), (key, member) => {
        if (typeof member === "number" && Number.isInteger(member)) return member + 731;
        if (typeof member !== "string") return member;
        return /id$/i.test(key) ? otherText(member) : otherNumbers(`${member} of Bob`);
      });
      return where === "before" ? [other, ...value] : [...value, other];
    });
  } catch {
    return text;
  }
}

function isTelling(name: string, value: unknown): boolean {
  return typeof value === "string" && !/id$/i.test(name) && /\p{L}{2}/u.test(value);
}

function otherText(id: string): string {
  return id.replace(
    /[a-z0-9]/g,
    (one) =>
      one === "9"
        ? "0"
        : one === "f" || one === "z"
        ? "a"
        : String.fromCharCode(one.charCodeAt(0) + 1),
  );
}
