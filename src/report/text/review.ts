import { plural } from "../../base/format.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import { type Section, tableSection } from "../blocks.ts";
import { printText, style } from "./print_blocks.ts";

// Reviews: what `convert`, `verify` and `calibrate` found out. Each command builds a `Review` from
// its result; `reviewText` prints it, and `reviewPage` renders it. Names of calls, such as
// `request 4 (POST /orders)`, connect the parts of a review.

/** Rating of a call, a value or a whole review. `open` means that the user has to decide. */
export type Rating = "good" | "open" | "bad";

/** Content of a review. Its strings may contain recorded text, but no secrets. */
export interface Review {
  /** Heading, such as `Verification`. */
  readonly title: string;
  readonly rating: Rating;
  /** Result of `convert`, `verify` or `calibrate`, as one line of text. */
  readonly verdict: string;
  /** Additional lines about the result. */
  readonly facts: readonly string[];
  /** The calls of the session, in recorded order. */
  readonly calls: readonly ReviewCall[];
  /** Values that responses contain or that requests send. */
  readonly values: readonly ReviewValue[];
  readonly differences: readonly ReviewDifference[];
  /** What `ReviewDifference.actual` contains: what the plan sent, or what the live response had. */
  readonly actual: "sent" | "live";
  readonly notes: readonly ReviewNote[];
}

/** A recorded call. */
export interface ReviewCall {
  /** Unique name of the call. Values and differences refer to the call by this name. */
  readonly name: string;
  /** One-based index of the entry in the HAR. Absent if the call is not in the recording. */
  readonly entry?: number;
  readonly method: string;
  readonly url: string;
  /** Recorded status. Absent if no response was recorded. */
  readonly status?: number;
  /** Verdict on the call, such as `stale`. */
  readonly result: string;
  readonly rating: Rating;
  readonly reason?: string;
}

/**
 * A value that responses contain or requests send, with the call whose response contains it and the
 * calls that send it.
 */
export interface ReviewValue {
  /** Name of the value's variable in the plan. Absent if the plan has no such variable. */
  readonly variable?: string;
  /** The recorded value. Absent if it is unknown. */
  readonly recorded?: string;
  /** The value that the live application returned instead of the recorded one. */
  readonly live?: string;
  /**
   * What the plan does with the value, such as `extracted`, or `sent as recorded` if it sends the
   * recorded value unchanged.
   */
  readonly result: string;
  readonly rating: Rating;
  /** Call whose response contains the value. Absent if no response contains it. */
  readonly from?: ReviewPlace;
  /** Calls that send the value, each with the part of the request that contains it. */
  readonly to: readonly ReviewPlace[];
  /** Reason for `result`. */
  readonly reason?: string;
  /** Change to make in the plan, as YAML with comments. */
  readonly edit?: string;
  /** The same change as one line of text. */
  readonly fix?: string | undefined;
  /** How often the value was sent. */
  readonly count?: number;
}

/** Location of a value: a call, and a part of its request or response. */
export interface ReviewPlace {
  /** Name of the call. The page links to it if `Review.calls` contains it. */
  readonly call: string;
  /**
   * Part of the request or response, such as `form csrf_token`, or the extractor that reads the
   * value.
   */
  readonly place?: string;
}

/** A difference between a call and its recording. */
export interface ReviewDifference {
  readonly rating: Rating;
  readonly call: string;
  /** What differs, such as `query page`. */
  readonly what: string;
  readonly recorded?: string | undefined;
  /** What was sent or returned instead of the recorded value. */
  readonly actual?: string | undefined;
  /** How often the difference occurred. */
  readonly count?: number;
}

/** A message about the session or the plan. */
export interface ReviewNote {
  readonly rating: Rating;
  /**
   * Kind of message: the code of a note from `convert`, such as `again-removed`, or a description
   * such as `pause added`.
   */
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
}

/** Maximum number of entries per section, so that the text fits on one screen. */
const MAX_ENTRIES = 6;

/**
 * Formats a review as text: the result, then what is bad and, with `explain`, everything else.
 * Recorded text is escaped.
 */
export function reviewText(review: Review, explain: boolean): string {
  const { verdict, facts, calls, values, differences, notes } = review;
  const wanted = <Item extends { readonly rating: Rating }>(items: readonly Item[]) =>
    items.filter(({ rating }) => explain || rating === "bad");
  const most = explain ? Infinity : MAX_ENTRIES;
  const different = Map.groupBy(
    wanted(differences),
    ({ what, recorded, actual }) => JSON.stringify([what, recorded, actual]),
  );
  const alike = Map.groupBy(
    calls.filter(({ rating }) => explain || rating !== "good"),
    ({ name, result, reason = result }) => explain ? name : reason,
  );
  const sections = [
    tableSection<readonly ReviewCall[]>(
      explain ? "Calls" : "Calls that are not as recorded",
      [
        { title: "", cell: ([{ name }]) => name },
        { title: "", long: "cut", cell: ([{ url }]) => url },
        {
          title: "",
          cell: ([{ result, reason = result }, ...others]) =>
            others.length === 0 ? reason : `${reason} (and ${plural(others.length, "more call")})`,
        },
      ],
      [...alike.values()],
    ),
    ...lists(wanted(values), ({ result }) => `${result} values`, valueLines, most),
    list(
      "Calls that differ",
      [...different.values()].map((calls) => differenceLine(calls, review.actual)),
      most,
    ),
    ...lists(wanted(notes), ({ kind }) => kind, noteLine, most),
  ];
  const listed = printText(sections, style(false, Infinity)).join("\n").trimEnd();
  const lines = [
    verdict,
    ...(listed === "" ? [] : ["", ...listed.split("\n")]),
    ...(explain ? ["", ...facts] : []),
  ];
  return lines.map((line) => safeText(line) + "\n").join("");
}

function lists<Item>(
  items: readonly Item[],
  titleOf: (item: Item) => string,
  line: (item: Item) => string,
  most: number,
): Section[] {
  return [...Map.groupBy(items, titleOf)].map(([title, items]) =>
    list(title, items.map(line), most)
  );
}

function list(title: string, lines: readonly string[], most: number): Section {
  const more = lines.length - most;
  const rest = more > 0 ? [`(${more} more; \`--explain\` lists all)`] : [];
  const heading = title.charAt(0).toUpperCase() + title.slice(1);
  const indented = [...lines.slice(0, most), ...rest].map((line) => `  ${line}`);
  return { title: `${heading} (${lines.length})`, blocks: [{ lines: indented }] };
}

function valueLines(value: ReviewValue): string {
  const { variable, recorded = "", live, to, from, reason, fix, count } = value;
  const [first, ...rest] = to;
  const more = rest.length > 0 ? `, and ${plural(rest.length, "more place")}` : "";
  const name = variable === undefined ? "" : `\${${shown(variable)}}: `;
  const what = live === undefined
    ? quoted(recorded, 48)
    : `recorded ${quoted(recorded, 40)}, live ${quoted(live, 40)}`;
  const where = first === undefined ? "" : ` in ${placeText(first, 40)}${more}`;
  const source = from === undefined || reason?.includes(from.call) ? undefined : from;
  const why = [
    reason && shown(reason, 120),
    source && `source: ${fix === undefined ? placeText(source, 160) : shown(source.call)}`,
    fix && shown(fix, 240),
  ].filter(Boolean);
  return [`${name}${what}${where}${times(count)}`, `  ${why.join("; ")}`].join("\n  ");
}

function placeText({ call, place }: ReviewPlace, max: number): string {
  return (place === undefined ? "" : `${shown(place, max)} of `) + shown(call);
}

function differenceLine(calls: readonly ReviewDifference[], word: Review["actual"]): string {
  const [{ call, what, recorded, actual }] = calls;
  const more = calls.length > 1 ? ` and ${plural(calls.length - 1, "more call")}` : "";
  const count = calls.reduce((sum, { count = 1 }) => sum + count, 0);
  const was = recorded === undefined ? "not recorded" : `recorded ${quoted(recorded, 40)}`;
  const is = actual === undefined ? `not ${word}` : `${word} ${quoted(actual, 40)}`;
  const values = recorded ?? actual ? `: ${was}, ${is}` : "";
  return `${shown(call)}${more}: ${shown(what, 80)}${values}${times(count)}`;
}

function noteLine({ subject, message }: ReviewNote): string {
  return `${shown(subject, 100)}: ${shown(message, 400)}`;
}

function times(count = 1): string {
  return count > 1 ? `, ${count} times` : "";
}

function shown(text: string, max = 60): string {
  return safeSnippet(text, max);
}

function quoted(text: string, max: number): string {
  return `"${safeSnippet(text, max)}"`;
}
