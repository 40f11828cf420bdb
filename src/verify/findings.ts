import { extractorFor } from "../correlation/propose.ts";
import { isWhole, keyAt, type Occurrence } from "../correlation/views.ts";
import { placeName } from "../outcome/compare_requests.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import type {
  ComparedRequest,
  ComparedSession,
  Staleness,
  StaleValue,
  UnprovenReason,
  UnprovenValue,
} from "./comparison.ts";
import type { IdSource } from "./linked_ids.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RecordedSession } from "./recorded_session.ts";
import { uniqueExample } from "./typed_texts.ts";

const MOST_SUGGESTIONS = 300;
type Suggestion = Pick<StaleValue, "extractor" | "write">;

const NO_SUGGESTION = { extractor: undefined, write: "" } as const;

/** A value in a request, or a part of it. */
export interface SuspectValue {
  readonly place: string;
  /** The text at the place. Contains `part`. */
  readonly text: string;
  /** The value, or the part of it by which it was found. */
  readonly part: string;
  /** The earlier exchange whose response contains the value. */
  readonly holder?: Exchange;
  readonly source?: IdSource;
}

/**
 * Describes the values in requests that are stale, or that the recording does not show to be right.
 * Adds the variables of the plan or the extractors that it needs for them. Decides nothing:
 * `judgeSentValue` decides whether a value from a response is stale or unproven, and
 * `UnprovenReason` lists what else makes a value unproven.
 */
export class FindingCollector {
  readonly #session: RecordedSession;
  readonly #extracted: ComparedSession["extracted"];
  readonly #suggestions = new Map<string, Suggestion>();
  readonly #known = new Map<string, Omit<UnprovenValue, "call" | "place">>();

  constructor({ session, extracted }: ComparedSession) {
    this.#session = session;
    this.#extracted = extracted;
  }

  addStale({ call, found }: ComparedRequest, why: Staleness, sent: SuspectValue): void {
    const value = why === "as recorded" ? this.#wholeValue(sent) : sent.part;
    found.stale.push({
      value,
      why,
      call: this.#session.nameOf(call),
      place: sent.place,
      producer: this.#session.nameOfExchange(sent.holder!),
      ...this.#suggest(call, value, sent),
    });
  }

  addUnproven({ call, found }: ComparedRequest, reason: UnprovenReason, sent: SuspectValue): void {
    const { place, part, holder } = sent;
    const key = JSON.stringify([call.order, place, part, reason]);
    let known = this.#known.get(key);
    if (known === undefined) {
      const value = this.#wholeValue(sent);
      known = {
        value,
        reason,
        producer: holder && this.#session.nameOfExchange(holder),
        ...(reason === "position" ? NO_SUGGESTION : this.#suggest(call, value, sent)),
        ...(reason === "same text" && { write: uniqueExample(value) }),
      };
      this.#known.set(key, known);
    }
    found.unproven.push({ ...known, call: this.#session.nameOf(call), place });
  }

  /** Returns the variable of the plan, or the extractor to add, that contains a value. */
  #suggest(call: RecordedCall, value: string, sent: SuspectValue): Suggestion {
    const { place, part, holder, source } = sent;
    if (holder === undefined || place.startsWith("cookie ")) return NO_SUGGESTION;
    const variable = this.#extracted.get(source?.key ?? value)
      ?.find(({ isWhole, entry }) => isWhole && entry <= call.exchange.index);
    if (variable !== undefined) return { extractor: undefined, write: `\${${variable.name}}` };
    const key = `${holder.index} ${value}`;
    let known = this.#suggestions.get(key);
    if (known === undefined) {
      if (this.#suggestions.size >= MOST_SUGGESTIONS) return NO_SUGGESTION;
      const sentAs = placeName(place);
      const extractor = source === undefined
        ? firstExtractor(this.#occurrences(value, part, holder), sentAs)
        : firstExtractor([source.source.occurrence], sentAs, source.source.key);
      known = { extractor, write: extractor ? `\${${extractor.name}}` : "" };
      this.#suggestions.set(key, known);
    }
    return known;
  }

  /**
   * Extends a part to the complete value that contains it: the text, the text without a scheme such
   * as `Bearer`, or a piece of the text between delimiters. Prefers a value that is a whole text of
   * the response to one that it contains. Without a response, returns the text if it is a single
   * token.
   */
  #wholeValue({ text, part, holder }: SuspectValue): string {
    if (text === part || text.length > LONGEST_LISTED) return part;
    if (holder === undefined) return TOKEN.test(text) ? text : part;
    const pieces = text.matchAll(PART).map(([piece]) => piece);
    const held = [text, text.replace(SCHEME, ""), ...pieces]
      .filter((candidate) => candidate.includes(part))
      .map((value) => ({ value, at: this.#occurrences(value, part, holder) }))
      .filter(({ at }) => at.length > 0);
    const isWholeText = ({ at }: { readonly at: readonly Occurrence[] }) => at.some(isWhole);
    const [first] = [...held.filter(isWholeText), ...held];
    const isComplete = first === undefined ||
      !isWholeText(first) && isWholeText({ at: this.#occurrences(part, part, holder) });
    return isComplete ? part : first.value;
  }

  #occurrences(value: string, part: string, holder: Exchange): Occurrence[] {
    const before = value.indexOf(part);
    return this.#session.origins.occurrencesIn(holder, part).flatMap(({ view, start }) =>
      start >= before && view.text.startsWith(value, start - before)
        ? [{ view, start: start - before, end: start - before + value.length }]
        : []
    );
  }
}

/** Maximum length of a text in which values are searched, in UTF-16 code units. */
const LONGEST_LISTED = 8_192;

const SCHEME = /^[A-Za-z][\w-]* +(?=\S+$)/;
const TOKEN = /^[\w+=.~|%-][\w+/=.~|%-]*$/;
const PART = /[^\s/?&=;,"'<>]+/g;

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
