import { fieldParts } from "../traffic/session/request_field.ts";
import { plural } from "../base/format.ts";
import type { Outgoing } from "../http/sender.ts";
import { findLoginDemand, visibleTexts } from "../outcome/refusal.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { headersIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import type { CallOutcome, ForeignLiteral, UnsentHeaders } from "./attempts.ts";
import { boundedOffsets } from "./literal_edit.ts";
import type { RecordedSide, RecordedStep } from "./recorded_side.ts";
import type { RepeatedRequest } from "./repeated_requests.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import { OF_CLIENT } from "./sent_pairs.ts";

/** A recorded call, and a live response to it that is as recorded. */
export interface Evidence {
  readonly step: RecordedStep;
  readonly last: ResponseSnapshot;
}

/** The outcome of a call, and the evidence that its response provides, if any. */
export interface Judged {
  readonly outcome: CallOutcome;
  readonly evidence?: Evidence;
  /** The recorded and the live response that were compared. */
  readonly compared?: { readonly recorded: ResponseSnapshot; readonly live: ResponseSnapshot };
  /** The last live response. Absent if there was no response. */
  readonly live?: ResponseSnapshot;
  /** True if a `retry` step repeats the request, so that the call has no outcome yet. */
  readonly isOpen?: true;
}

/** Attempts of one user at the requests in `retry` steps, in one iteration. */
export class Polls {
  /** Number of attempts at each request since the condition of its step was last true. */
  readonly #attempts = new Map<number, number>();
  /** Indexes of the requests whose outcome is known. Further attempts do not count. */
  readonly #ended = new Set<number>();

  hasEnded(index: number): boolean {
    return this.#ended.has(index);
  }

  /**
   * Judges an attempt at a request that a `retry` step may repeat. The live server may need more or
   * fewer attempts than the recorded one, so only the last attempt is compared with the recording.
   * If the condition of the step is still false after the last attempt, the call does not match the
   * recording. If an attempt has a non-2xx status, that attempt is the outcome of the call.
   */
  judge(judged: Judged, repeated: RepeatedRequest | undefined): Judged {
    if (repeated === undefined) return judged;
    const { outcome, live } = judged;
    const { index } = outcome;
    const attempt = (this.#attempts.get(index) ?? 0) + 1;
    this.#attempts.set(index, attempt);
    if (this.#ended.has(index)) return { outcome, isOpen: true };
    if (live !== undefined && repeated.isEnd(live)) {
      this.#attempts.delete(index);
      return judged;
    }
    const isWorking = live !== undefined && live.status >= 200 && live.status < 300;
    if (isWorking && attempt < repeated.attempts) return { outcome, isOpen: true };
    this.#ended.add(index);
    if (!isWorking) return judged;
    const difference = {
      kind: "condition",
      recorded: repeated.condition,
      live: plural(attempt, "attempt"),
    } as const;
    return { outcome: { ...outcome, differences: [difference, ...outcome.differences] }, live };
  }
}

/**
 * Finds possible reasons why the response `live` to the request `sent` is not as recorded: a
 * refused login, and recorded headers that the request lacks. `refusal` is the text in the response
 * that reads like a refusal, if any.
 */
export function findReasons(
  { exchange, call, response }: RecordedStep,
  live: ResponseSnapshot,
  sent: Outgoing,
  refusal: string | undefined,
  recorded: RecordedSide,
): Pick<CallOutcome, "demand" | "unsentHeaders"> {
  const { method, url } = exchange.request;
  const shown = {
    recorded: response,
    live,
    method,
    url,
    ...(refusal !== undefined && { refusal }),
  };
  const demand = findLoginDemand(shown, (path) => recorded.isLoginPage(path));
  const unsentHeaders = findUnsentHeaders(call, sent, live);
  return { ...(demand && { demand }), ...(unsentHeaders && { unsentHeaders }) };
}

const CSRF = /csrf|xsrf/i;
/** Matches response headers that contain header names regardless of the request. */
const NAMING = /^(?:vary|set-cookie|access-control-.*)$/i;

/** If the response `live` names some of the headers that a request lacks, returns only these. */
function findUnsentHeaders(
  recorded: RecordedCall,
  sent: Outgoing,
  live: ResponseSnapshot,
): UnsentHeaders | undefined {
  const present = new Set(sent.headers.map(([name]) => name.toLowerCase()));
  const unsent = headersIn(recorded).map(({ name }) => name)
    .filter((name) => !present.has(name.toLowerCase()) && !OF_CLIENT.test(name));
  if (unsent.length === 0) return undefined;
  const headers = live.headers.filter(({ name }) => !NAMING.test(name))
    .flatMap(({ name, value }) => [name, value]);
  const said = [...visibleTexts(live).map(({ text }) => text), ...headers].join("\n");
  const named = unsent.filter((name) =>
    new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "i").test(said) ||
    CSRF.test(name) && CSRF.test(said)
  );
  return named.length > 0 ? { names: named, areNamed: true } : { names: unsent, areNamed: false };
}

/** Maximum number of literals to return. */
const MOST_FOREIGN = 5;
/** Maximum length of a literal in UTF-16 code units. Longer ones are probably documents. */
const LONGEST_FOREIGN = 200;

/**
 * Returns the literals of a request that are complete fields, parameters, members or path segments,
 * and that the server sent in an earlier response in the recording, but in none of the earlier live
 * responses to the user who sent the request. `steps` contains these, by the number of the request.
 * Ignores headers.
 */
export function findForeignLiterals(
  index: number,
  request: Request,
  recorded: RecordedSide,
  steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>,
): Pick<CallOutcome, "foreign"> {
  const live = [...steps].flatMap(([i, { response }]) => i < index ? [response] : []);
  const found = new Map<string, ForeignLiteral>();
  for (const literal of literalsOf(request)) {
    const { value } = literal;
    const isKnown = value === "" || value.length > LONGEST_FOREIGN || found.has(value);
    if (isKnown || !recorded.isReceivedBefore(index, value)) continue;
    if (live.some((response) => contains(response, value))) continue;
    found.set(value, literal);
    if (found.size === MOST_FOREIGN) break;
  }
  return found.size === 0 ? {} : { foreign: [...found.values()] };
}

function literalsOf(request: Request): ForeignLiteral[] {
  return requestTexts(request).flatMap(({ kind, name, template }): ForeignLiteral[] => {
    if (kind === "host" || kind === "header" || kind === "form-name") return [];
    const parts = parseTemplate(template);
    if (kind !== "body") {
      const [only] = parts;
      return parts.length === 1 && only.kind === "text" ? [{ name, value: only.text }] : [];
    }
    // A body can consist of fields. Their literals must not touch an expression.
    return parts.flatMap((part) =>
      part.kind === "text"
        ? fieldParts(part.text, "").map(({ name, start, end }) => ({
          name,
          value: part.text.slice(start, end),
        }))
        : []
    );
  });
}

function contains({ text, headers }: ResponseSnapshot, value: string): boolean {
  return boundedOffsets(text ?? "", value).length > 0 ||
    headers.some((header) => boundedOffsets(header.value, value).length > 0);
}
