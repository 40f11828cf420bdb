import { placeName } from "../outcome/compare_requests.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import type {
  ComparedRequest,
  Staleness,
  StaleValue,
  UnprovenReason,
  UnprovenValue,
} from "./comparison.ts";
import { extractorToAdd, idExtractorToAdd, wholeValue } from "./extractors_to_add.ts";
import type { RecordedSession } from "./recorded_session.ts";
import { uniqueExample } from "./typed_texts.ts";

/** Maximum number of values for which the collector looks for an extractor. */
const MOST_SUGGESTIONS = 300;
const NO_SUGGESTION = { extractor: undefined, write: "" } as const;

/**
 * Describes the values in requests that are stale, or that the recording does not show to be right.
 * Adds the extractors that the plan needs for them.
 */
export class FindingCollector {
  readonly #session: RecordedSession;
  readonly #suggestions = new Map<string, Pick<StaleValue, "extractor" | "write">>();
  readonly #known = new Map<string, Omit<UnprovenValue, "call" | "place">>();

  constructor(session: RecordedSession) {
    this.#session = session;
  }

  /**
   * Adds a stale value to the findings of a request. `part` is the value or a part of it, which `text` contains.
   * `holder` is the exchange whose response first contained the value.
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
   * Adds an unproven value to the findings of a request. `part` is the value or a part of it, which `text` contains.
   * `holder` is the earlier exchange whose response contains the value, or undefined if no earlier
   * response contains it.
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
  suggestId(value: string, holder: Exchange, name: string, place: string): void {
    const key = `${holder.index} ${value}`;
    if (this.#suggestions.has(key) || this.#suggestions.size >= MOST_SUGGESTIONS) return;
    const extractor = idExtractorToAdd(value, holder, name, placeName(place));
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
