import { oneLine } from "../../base/safe_text.ts";
import { type ResponseSnapshot, snapshotRecorded } from "../../comparison/response_snapshot.ts";
import { extractValue } from "../../correlation/try_extractor.ts";
import { readVariables } from "../../plan/expressions/expression.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { listRequests, recordedEntry } from "../../plan/kinds/list_requests.ts";
import type { Request } from "../../plan/kinds/request.ts";
import { requestTexts } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { printEntries } from "../../plan/print.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import type {
  Rating,
  ReviewCall,
  ReviewNote,
  ReviewPlace,
  ReviewValue,
} from "../../report/text/review.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import { leafText, mapLeaves } from "../../traffic/session/body_fields.ts";
import type { StaleValue, UnprovenReason } from "../../verify/findings.ts";

/** A value that a plan extracts. */
export type PlanValue = ReviewValue & Required<Pick<ReviewValue, "variable" | "from">>;

/**
 * Lists the values that the requests of a plan extract, with their consumers: the later requests
 * that use the variable, up to the next request that extracts it again. The recorded value is the
 * one that the extractor returns from the recorded response. `nameOf` returns the name of a
 * request. Its arguments are the zero-based index of the request in the plan, and the number of its
 * entry in the HAR, if known.
 */
export function planValues(
  { scenarios }: Plan,
  { exchanges }: Recording,
  nameOf: (index: number, entry: number | undefined) => string,
): PlanValue[] {
  const requests = Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  const names = requests.map((request, i) => nameOf(i, recordedEntry(request)));
  const consumers = findConsumers(requests, names);
  const responses = new Map(exchanges.map(({ index, response }) => [index + 1, response]));
  return requests.flatMap((request, source) => {
    const response = responses.get(recordedEntry(request) ?? 0);
    const snapshot = response && snapshotRecorded(response, (text) => text);
    return (request.extract ?? []).map((extractor, i): PlanValue => {
      const to = consumers[source][i];
      const recorded = snapshot && recordedValue(extractor, snapshot);
      const isUsed = to.length > 0;
      return {
        variable: extractor.name,
        ...(recorded !== undefined && { recorded }),
        result: isUsed ? "extracted" : "not used",
        rating: isUsed ? "good" : "open",
        from: { call: names[source], place: describeExtractor(extractor) },
        to,
      };
    });
  });
}

/** Describes what an extractor reads, such as `css input[name="token"] attribute value`. */
export function describeExtractor(extractor: Readonly<Record<string, unknown>>): string {
  const { type, name: _name, ...rest } = extractor;
  const words = Object.entries(rest).filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return key === "expression" || key === type ? text : `${key} ${text}`;
    });
  return [type, ...words].join(" ");
}

/**
 * Finds the later requests that use each extracted variable, and the part of the request that
 * contains it. The result has one list per request, with one item per extractor of the request.
 * `names` contains the names of the requests.
 */
function findConsumers(
  requests: readonly Request[],
  names: readonly string[],
): ReviewPlace[][][] {
  const current = new Map<string, ReviewPlace[]>();
  return requests.map((request, i) => {
    for (const [variable, place] of usedVariables(request)) {
      current.get(variable)?.push({ call: names[i], place });
    }
    return (request.extract ?? []).map(({ name }) => {
      const places: ReviewPlace[] = [];
      current.set(name, places);
      return places;
    });
  });
}

function usedVariables(request: Request): [variable: string, place: string][] {
  return requestTexts(request).filter(({ template }) => template.includes("${"))
    .flatMap(({ kind, name, template }) =>
      parseTemplate(template).flatMap(readVariables)
        .map((variable): [string, string] => [variable, `${kind} ${name}`.trim()])
    );
}

function recordedValue(extractor: Extractor, snapshot: ResponseSnapshot): string | undefined {
  if (extractor.type === "xpath") return undefined;
  const { name: _, ...nameless } = extractor;
  return leafText(extractValue(nameless, snapshot));
}

export interface PlanEdit {
  /** Name of the call to which the extractor is added. */
  readonly call: string;
  readonly extractor: Readonly<Record<string, unknown>>;
  /** Template that replaces the recorded value. */
  readonly write: string;
  /** Names of the calls in which the template replaces the value. */
  readonly consumers: readonly string[];
}

/** Maximum number of calls that the text of an edit lists by name. */
const MOST_NAMED = 3;

export function editText({ call, extractor, write, consumers }: PlanEdit): string {
  const calls = [...new Set(consumers)];
  const more = calls.length > MOST_NAMED ? ` and ${calls.length - MOST_NAMED} more` : "";
  return [
    `# ${oneLine(call)}`,
    printEntries({ extract: [extractor] }, undefined),
    `# ${oneLine(calls.slice(0, MOST_NAMED).join(", "))}${more}: write this instead of the value`,
    `# ${oneLine(write)}`,
  ].join("\n");
}

export type RecordedPart = Pick<ReviewCall, "entry" | "method" | "url" | "status">;

/**
 * Returns a function that describes a recorded call. `entry` is the number of the call in the HAR,
 * from 1. If the number is undefined or unknown, `name` replaces the URL.
 */
export function recordedParts(
  { exchanges }: Recording,
): (entry: number | undefined, name: string) => RecordedPart {
  const byEntry = new Map(exchanges.map((exchange) => [exchange.index + 1, exchange]));
  return (entry, name) => {
    const exchange = byEntry.get(entry ?? 0);
    if (exchange === undefined) return { method: "-", url: name };
    const { request: { method, url }, response: { status } } = exchange;
    return { entry, method: method.toUpperCase(), url, ...(status > 0 && { status }) };
  };
}

/** Creates notes of one kind, one for each of `items`. */
export function reviewNotes(
  rating: Rating,
  kind: string,
  items: readonly (readonly [subject: string, message: string])[],
): ReviewNote[] {
  return items.map(([subject, message]) => ({ rating, kind, subject, message }));
}

/**
 * Describes the edit to the plan that replaces a recorded value in a request: the template to use
 * instead, and the extractor to add to an earlier call if the template needs one, or the header to
 * remove. Returns undefined if there is no such edit.
 */
export function describeFix(
  { extractor, write, place, reason }:
    & Pick<StaleValue, "extractor" | "write" | "place">
    & { readonly reason?: UnprovenReason },
): string | undefined {
  if (extractor === undefined && write !== "") {
    return `write \`${write}\`${write.includes("${unique}") ? " if the value must be unique" : ""}`;
  }
  if (extractor !== undefined) {
    return `add \`extract: [${JSON.stringify(extractor)}]\` there and write \`${write}\``;
  }
  // The plan does not send a cookie that no recorded response sets.
  return place.startsWith("cookie ") && reason !== "cookie"
    ? "remove the Cookie header: each user's cookie jar sends it"
    : undefined;
}

/**
 * Returns a review or findings with `hide` applied to each string, so that they show no secrets.
 */
export function hiddenFindings<Findings>(
  findings: Findings,
  hide: (text: string) => string,
): Findings {
  return mapLeaves(
    findings,
    (value) => typeof value === "string" ? hide(value) : value,
  ) as Findings;
}
