import { alignWords } from "../../correlation/align_text.ts";
import type { ClientMade } from "../../correlation/client_made.ts";
import { recordedStep, type Step } from "../../correlation/explain_pieces.ts";
import { KnownPairs } from "../../correlation/known_pairs.ts";
import { type Gap, type Match, matchSequences } from "../../correlation/match.ts";
import { differingFields } from "../../correlation/second_session.ts";
import { extractValue } from "../../correlation/try_extractor.ts";
import type { Variable } from "../../correlation/variable.ts";
import { describeDifference } from "../../outcome/difference.ts";
import { isEvidence, judgeResponse } from "../../outcome/judge_response.ts";
import { urlShape } from "../../outcome/shapes.ts";
import { formatExpression } from "../../plan/text/template.ts";
import { findMainOrigin, originMover } from "../../traffic/har/origins.ts";
import type { Exchange, RecordedRequest } from "../../traffic/har/recording.ts";
import { type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";
import type { Note, NoteCode } from "../notes/notes.ts";

export interface PairedCalls {
  readonly steps: readonly Step[];
  /** Calls of the second recording without a counterpart, such as `GET /cart`. Recorded text. */
  readonly onlySecond: readonly string[];
  readonly otherResponses: ReadonlyMap<RecordedCall, string>;
}

/**
 * Pairs the calls of a recording with those of a second recording of the same session, which may be
 * of another deployment: `origin` is the main origin of the first one.
 */
export function pairRecordings(
  calls: readonly RecordedCall[],
  second: readonly Exchange[],
  origin: string,
): PairedCalls {
  const others = splitCalls(moved(second, origin));
  const requests = (some: readonly RecordedCall[]) => some.map(({ exchange }) => exchange.request);
  const pairs = new Map(pairCalls(requests(calls), requests(others)));
  const known = new KnownPairs();
  const otherResponses = new Map<RecordedCall, string>();
  const steps = calls.map((call, i): Step => {
    const again = others[pairs.get(i) ?? -1];
    if (again === undefined) return recordedStep(call);
    for (const { field, live } of differingFields(call, again)) {
      known.add(field.value, live);
      for (const word of alignWords(field.value, live)) known.add(word.recorded, word.live);
    }
    const [response, other] = [call, again].map(({ exchange }) => exchange.response);
    const { method } = call.exchange.request;
    const { differences } = judgeResponse(response, other, known, { method });
    if (isEvidence(differences)) return { call, responses: [response, other], again };
    otherResponses.set(call, describeDifference(differences[0]));
    return { call, responses: [response], again };
  });
  const paired = new Set(pairs.values());
  const onlySecond = others.flatMap(({ exchange: { request } }, j) =>
    paired.has(j) ? [] : [`${request.method} ${urlShape(request.url)}`]
  );
  return { steps, onlySecond, otherResponses };
}

/** Returns the calls of a recording moved to the main origin `origin`. */
function moved(exchanges: readonly Exchange[], origin: string): readonly Exchange[] {
  const from = findMainOrigin(exchanges)?.origin ?? origin;
  if (from === origin) return exchanges;
  const move = originMover(from, origin);
  const inHeaders = (headers: RecordedRequest["headers"]) =>
    headers.map((header) => ({ ...header, value: move(header.value) }));
  return exchanges.map((exchange) => {
    const { request, response } = exchange;
    const { text, payload } = response;
    return {
      ...exchange,
      request: { ...request, url: move(request.url), headers: inHeaders(request.headers) },
      response: {
        ...response,
        headers: inHeaders(response.headers),
        ...(text !== undefined && { text: move(text) }),
        ...(payload !== undefined && { payload: move(payload) }),
      },
    };
  });
}

/** Returns the notes on what a second recording shows. `nameOf` returns the name of a call. */
export function againNotes(
  { steps, onlySecond, otherResponses }: PairedCalls,
  variables: readonly Variable[],
  { values, unexplained }: Pick<ClientMade, "values" | "unexplained">,
  nameOf: (call: RecordedCall) => string,
): Note[] {
  const note = (code: NoteCode, subject: string, message: string) => (
    { code, subject, message }
  );
  const responses = new Map(steps.map(({ call, responses }) => [call, responses[1]]));
  return [
    ...variables.flatMap(({ extractor: { name }, candidate: { producer, located } }) => {
      const response = responses.get(producer);
      const isFound = response === undefined || "row" in located ||
        extractValue(located, response) !== undefined;
      const message = "its extractor finds nothing in the second recording's response to " +
        nameOf(producer);
      return isFound ? [] : note("again-not-found", name, message);
    }),
    ...values.map(({ call, field, expression }) =>
      note(
        "again-client-value",
        field.name || "value",
        `generated by the client: now sent as ${formatExpression(expression)}, first in ` +
          nameOf(call),
      )
    ),
    ...steps.filter(({ again }) => again === undefined).map(({ call }) =>
      note("again-unpaired", nameOf(call), "the second recording does not contain this call")
    ),
    ...onlySecond.map((call) =>
      note("again-unpaired", call, "only the second recording contains this call")
    ),
    ...[...otherResponses].map(([call, difference]) =>
      note(
        "again-other-response",
        nameOf(call),
        `the second recording has a different kind of response: ${difference}`,
      )
    ),
    ...unexplained.map(({ call, field }) =>
      note(
        "again-unexplained",
        field.name || field.kind,
        `differs in the second recording, but is sent as recorded in ${nameOf(call)}`,
      )
    ),
  ];
}

/**
 * Features by which calls are matched, from strict to lax. Each returns a string that is equal for
 * matching calls.
 */
const FEATURES: readonly ((request: RecordedRequest) => string)[] = [
  ({ method, url }) => `${method} ${hostOf(url)} ${urlShape(url)}`,
  ({ method, url }) => `${method} ${urlShape(url).replace(/[?#].*$/s, "")}`,
  ({ method, url }) => `${method} ${pathForm(url)}`,
];

/**
 * Pairs the requests of two recordings of the same session, and keeps their order. First pairs
 * requests with the same method, host, path (without values) and parameter names. Then, between
 * these pairs, pairs requests with the same method and path. Finally pairs requests with the same
 * method, host and number of path segments whose paths differ only in the last segment. Returns the
 * indexes of the pairs in ascending order.
 */
function pairCalls(
  first: readonly RecordedRequest[],
  second: readonly RecordedRequest[],
): Match[] {
  let gaps: readonly Gap[] = [{ a: [0, first.length], b: [0, second.length] }];
  const pairs: Match[] = [];
  for (const feature of FEATURES) {
    const ids = new Map<string, number>();
    const number = (request: RecordedRequest) => ids.getOrInsert(feature(request), ids.size);
    const [a, b] = [first.map(number), second.map(number)];
    gaps = gaps.flatMap((gap) => {
      const found = matchSequences(a, b, gap);
      pairs.push(...found.matches);
      return found.gaps.flatMap((rest) => {
        const matches = matchInOrder(a, b, rest);
        pairs.push(...matches);
        return gapsBetween(rest, matches);
      });
    });
  }
  return pairs.sort(([i], [j]) => i - j);
}

/**
 * Maximum number of requests of the second recording in which `matchInOrder` searches for one
 * match.
 */
const LONGEST_SKIP = 50;

/**
 * Matches each element of `a` in an unmatched range (`gap`) with the next equal element of `b` in
 * that range.
 */
function matchInOrder(a: readonly number[], b: readonly number[], gap: Gap): Match[] {
  const matches: Match[] = [];
  let next = gap.b[0];
  for (let i = gap.a[0]; i < gap.a[1]; i++) {
    const end = Math.min(gap.b[1], next + LONGEST_SKIP);
    for (let j = next; j < end; j++) {
      if (a[i] !== b[j]) continue;
      matches.push([i, j]);
      next = j + 1;
      break;
    }
  }
  return matches;
}

function gapsBetween({ a, b }: Gap, matches: readonly Match[]): Gap[] {
  const gaps: Gap[] = [];
  let [aDone, bDone] = [a[0], b[0]];
  for (const [i, j] of [...matches, [a[1], b[1]] as const]) {
    if (i > aDone && j > bDone) gaps.push({ a: [aDone, i], b: [bDone, j] });
    [aDone, bDone] = [i + 1, j + 1];
  }
  return gaps;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}

/**
 * Returns one string that contains the host, the number of path segments, and all segments except
 * the last one. Omits values in the path.
 */
function pathForm(url: string): string {
  const segments = URL.parse(url)?.pathname.split("/") ?? [];
  return `${hostOf(url)} ${segments.length} ${segments.slice(0, -1).map(urlShape).join("/")}`;
}
