import { extractorFor } from "../correlation/propose.ts";
import { keyAt, type Occurrence, viewsOf } from "../correlation/views.ts";
import { placeName } from "../outcome/compare_requests.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import type {
  ComparedRequest,
  Staleness,
  StaleValue,
  UnprovenReason,
  UnprovenValue,
} from "./comparison.ts";
import { occurrencesOf } from "./assess.ts";
import type { IdSource } from "./linked_ids.ts";
import { responseTexts, writtenForms } from "./recorded_exchanges.ts";
import type { RecordedSession } from "./recorded_session.ts";
import { uniqueExample } from "./typed_texts.ts";

const MOST_SUGGESTIONS = 300;
const NO_SUGGESTION = { extractor: undefined, write: "" } as const;

/**
 * Describes the values in requests that are stale, or that the recording does not show to be right.
 * Adds the extractors that the plan needs for them. Decides nothing: `judgeSentValue` decides
 * whether a value from a response is stale or unproven, and `UnprovenReason` lists what else makes
 * a value unproven.
 */
export class FindingCollector {
  readonly #session: RecordedSession;
  readonly #suggestions = new Map<string, Pick<StaleValue, "extractor" | "write">>();
  readonly #known = new Map<string, Omit<UnprovenValue, "call" | "place">>();

  constructor(session: RecordedSession) {
    this.#session = session;
  }

  /**
   * Adds a stale value to the findings of a request. `part` is the value or a part of it, which
   * `text` contains. `holder` is the exchange whose response first contained the value.
   */
  addStale(
    { call, found: { stale } }: ComparedRequest,
    place: string,
    text: string,
    part: string,
    why: Staleness,
    holder: Exchange,
  ): void {
    const value = why === "as recorded" ? wholeValue(text, part, holder) : part;
    stale.push({
      value,
      why,
      call: this.#session.nameOf(call),
      place,
      producer: this.#session.nameOfExchange(holder),
      ...this.#suggest(value, holder, place),
    });
  }

  /**
   * Adds an unproven value to the findings of a request. `part` is the value or a part of it, which
   * `text` contains. `holder` is the earlier exchange whose response contains the value, or
   * undefined if no earlier response contains it.
   */
  addUnproven(
    { call, found: { unproven } }: ComparedRequest,
    place: string,
    text: string,
    part: string,
    reason: UnprovenReason,
    holder: Exchange | undefined,
  ): void {
    const key = JSON.stringify([call.order, place, part, reason]);
    let known = this.#known.get(key);
    if (known === undefined) {
      const value = wholeValue(text, part, holder);
      known = {
        value,
        reason,
        producer: holder && this.#session.nameOfExchange(holder),
        ...(holder ? this.#suggest(value, holder, place) : NO_SUGGESTION),
        ...(reason === "same text" && { write: uniqueExample(value) }),
      };
      this.#known.set(key, known);
    }
    unproven.push({ ...known, call: this.#session.nameOf(call), place });
  }

  /**
   * Searches for an extractor that returns a short id. Findings about the id then contain the
   * extractor.
   */
  suggestId(
    value: string,
    { exchange, source: { occurrence, key: name } }: IdSource,
    place: string,
  ) {
    const key = `${exchange.index} ${value}`;
    if (this.#suggestions.has(key) || this.#suggestions.size >= MOST_SUGGESTIONS) return;
    const extractor = firstExtractor([occurrence], placeName(place), name);
    this.#suggestions.set(key, { extractor, write: extractor ? `\${${extractor.name}}` : "" });
  }

  #suggest(
    value: string,
    holder: Exchange,
    place: string,
  ): Pick<StaleValue, "extractor" | "write"> {
    if (place.startsWith("cookie ")) return NO_SUGGESTION;
    const key = `${holder.index} ${value}`;
    let known = this.#suggestions.get(key);
    if (known === undefined) {
      const extractor = this.#suggestions.size < MOST_SUGGESTIONS
        ? extractorToAdd(value, holder, placeName(place))
        : undefined;
      known = { extractor, write: extractor ? `\${${extractor.name}}` : "" };
      this.#suggestions.set(key, known);
    }
    return known;
  }
}

const LONGEST = 8_192;

const SCHEME = /^[A-Za-z][\w-]* +(?=\S+$)/;
const TOKEN = /^[\w+=.~|%-][\w+/=.~|%-]*$/;
const PART = /[^\s/?&=;,"'<>]+/g;

/**
 * Extends `part` to the complete value that contains it. `text` is the text of one field of a
 * request. Tries `text`, `text` without a scheme such as `Bearer`, and the pieces of `text` between
 * delimiters. Returns the first one that contains `part` and that the response of `holder` contains
 * in any encoding. If no piece meets both conditions, returns `part`. If `holder` is undefined,
 * returns `text` if it is a single token, and otherwise `part`.
 */
function wholeValue(text: string, part: string, holder: Exchange | undefined): string {
  if (text === part || text.length > LONGEST) return part;
  if (holder === undefined) return TOKEN.test(text) ? text : part;
  const candidates = [text, text.replace(SCHEME, "")];
  for (const [piece] of text.matchAll(PART)) if (piece.includes(part)) candidates.push(piece);
  const texts = responseTexts(holder);
  const isHeld = (candidate: string) =>
    texts.some((held) => [...writtenForms(candidate)].some((form) => held.includes(form)));
  return candidates.find((candidate) => candidate.includes(part) && isHeld(candidate)) ?? part;
}

function extractorToAdd(
  value: string,
  { response }: Exchange,
  sentAs: string,
): Extractor | undefined {
  return firstExtractor(occurrencesOf(value, viewsOf(response)), sentAs);
}

function firstExtractor(
  occurrences: Iterable<Occurrence>,
  sentAs: string,
  name?: string,
): Extractor | undefined {
  for (const at of occurrences) {
    const found = extractorFor(at);
    if (found === undefined) continue;
    const { type, ...rest } = found.extractor;
    const key = name ?? keyAt(at);
    const isVague = key === "" || /^location$/i.test(key) || type === "boundary";
    return { type, name: variableName(isVague ? sentAs || "id" : key), ...rest } as Extractor;
  }
  return undefined;
}

function variableName(name: string): string {
  const bare = name.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "value";
  const variable = /^\d/.test(bare) ? `_${bare}` : bare;
  return RESERVED.has(variable) ? `${variable}_value` : variable;
}
