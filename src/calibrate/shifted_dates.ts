import { call, type Expression } from "../plan/expressions/expression.ts";
import type { Request } from "../plan/kinds/request.ts";
import { textsOf } from "./literal_edit.ts";
import { DATE_PLACE, type UniqueText } from "./make_unique.ts";

const DAY_MS = 86_400_000;
/** Days before and after the recording within which a date is rather a plan than a fact. */
const NEAR = [-45, 400] as const;

/** Ways to write a date: the pattern of the function `date`, and the order of its numbers. */
const WRITTEN: readonly (readonly [pattern: string, order: "ymd" | "mdy" | "dmy"])[] = [
  ["yyyy-MM-dd", "ymd"],
  ["yyyy/MM/dd", "ymd"],
  ["dd.MM.yyyy", "dmy"],
  ["MM/dd/yyyy", "mdy"],
  ["dd/MM/yyyy", "dmy"],
];
const DATE = new RegExp(
  DATE_PLACE.join(String.raw`(?:\d{4}([-/])\d\d\1\d\d|\d\d([./])\d\d\2\d{4})`),
  "g",
);

/**
 * Returns the dates that requests send, as dates relative to the day of the run and `later` days
 * later, if the request `refused` sends a date that had not passed when it was recorded, and has
 * now. `recordedAt` and `now` are in Unix milliseconds. Omits dates for which `isFixed` returns
 * true.
 */
export function shiftedDates(
  requests: ReadonlyMap<number, Request>,
  refused: number,
  { recordedAt, now, later, isFixed }: {
    readonly recordedAt: number;
    readonly now: number;
    readonly later: number;
    isFixed(text: string, source: number): boolean;
  },
): UniqueText[] {
  const [recordedDay, today] = [recordedAt, now].map((ms) => Math.floor(ms / DAY_MS));
  const hasPassed = [...datesIn(requests.get(refused)!, recordedDay)].some(([text, { days }]) =>
    days >= 0 && recordedDay + days < today && !isFixed(text, refused)
  );
  if (!hasPassed) return [];
  const found = new Map<string, UniqueText>();
  for (const [source, request] of requests) {
    for (const [text, { pattern, days }] of datesIn(request, recordedDay)) {
      if (found.has(text) || isFixed(text, source)) continue;
      const expression = relativeDate(pattern, days + later);
      found.set(text, { text, expression, before: "", after: "", source });
    }
  }
  return [...found.values()];
}

function relativeDate(pattern: string, days: number): Expression {
  const given: Expression = { kind: "literal", value: pattern };
  return days === 0
    ? call("date", given)
    : call("date", given, { kind: "literal", value: `${days}d` });
}

interface SentDate {
  readonly pattern: string;
  /** Days after that of the recording. */
  readonly days: number;
}

/** Returns the dates of a request near a day, by their text. Omits those with two meanings. */
function datesIn(request: Request, day: number): Map<string, SentDate> {
  const dates = new Map<string, SentDate>();
  for (const { template, kind } of textsOf(request)) {
    if (kind === "file" || kind === "host") continue;
    for (const [text] of template.matchAll(DATE)) {
      const meant = WRITTEN.flatMap(([pattern, order]) => {
        if (pattern.replace(/\w/g, "0") !== text.replace(/\d/g, "0")) return [];
        const days = dayOf(text, order) - day;
        return days >= NEAR[0] && days <= NEAR[1] ? [{ pattern, days }] : [];
      });
      if (meant.length === 1) dates.set(text, meant[0]);
    }
  }
  return dates;
}

/** Returns the days since 1970-01-01, or NaN if there is no such day. */
function dayOf(text: string, order: string): number {
  const numbers = text.split(/\D/).map(Number);
  const [year, month, day] = ["y", "m", "d"].map((part) => numbers[order.indexOf(part)]);
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / DAY_MS : NaN;
}
