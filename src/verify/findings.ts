import { extractorFor } from "../correlation/propose.ts";
import { isWhole, keyAt, type Occurrence } from "../correlation/views.ts";
import { placeName } from "../outcome/compare_requests.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { Assessor } from "./assess.ts";
import type { FreshValues } from "./fresh_values.ts";
import type { IdSource } from "./short_ids.ts";
import type { MockUser } from "./mock_server.ts";
import type { PlanRequest } from "./plan_requests.ts";
import type { RecordedSession } from "./recorded_session.ts";

/** Where a stale value comes from. */
export type Staleness = "as recorded" | "from an earlier response" | "another user's";

/** A value that is sent although the mock server replaced it. May contain recorded text. */
export interface StaleValue {
  readonly value: string;
  readonly why: Staleness;
  /** Name of the call that sent the value, such as `request 4 (POST /orders)`. */
  readonly call: string;
  readonly place: string;
  /** Name of the call whose response contains the value. */
  readonly producer: string;
  /** To add to the plan. Undefined for cookies, if the plan has one, or if none works. */
  readonly extractor: Extractor | undefined;
  /** Template to write in place of the value. Empty without a variable. */
  readonly write: string;
}

/** Reason why a value is unproven. */
export type UnprovenReason =
  /** The recording does not show whether this value of a response changes. */
  | "response"
  /** This value of a response looks like a constant of the application. */
  | "constant"
  /** The value looks random, and no earlier response contains it. */
  | "random"
  /** The plan sends another value in place of one from a response. */
  | "other value"
  /** The response from which the plan takes the id has it for another kind of object. */
  | "other object"
  /** The plan repeats what the user typed, although the server may refuse duplicates. */
  | "same text"
  /** The browser sent a cookie that no recorded response sets, and the plan does not send it. */
  | "cookie"
  /** The request deletes a row that the plan takes from a list by its position. */
  | "position";

/**
 * A value of which the recording does not show whether it is right. Contains recorded text. For
 * `same text`, `write` is an example such as `TEXT-${unique}`.
 */
export interface UnprovenValue extends Omit<StaleValue, "why" | "producer"> {
  readonly reason: UnprovenReason;
  readonly producer: string | undefined;
}

/** A place at which a request differs from its recorded call. Contains recorded text. */
export interface Difference {
  readonly call: string;
  readonly place: string;
  /** Undefined if the recorded call has no such place. */
  readonly recorded: string | undefined;
  /** Undefined if the request has no such place. */
  readonly sent: string | undefined;
}

export interface ComparedRequest {
  readonly call: RecordedCall;
  readonly sent: RecordedCall;
  readonly user: MockUser;
  /** The request of the plan, or undefined if the request may come from any client. */
  readonly planned: PlanRequest | undefined;
  /** True if the plan's literals are known, so that any other value comes from a variable. */
  readonly hasPlan: boolean;
  readonly found: Findings;
}

/** A variable of the plan, and the entry from whose response it is extracted. */
export interface PlanVariable {
  readonly name: string;
  readonly entry: number;
  readonly recorded: string;
  /** True if the variable contains only the value by which it was found. */
  readonly isWhole: boolean;
  /** True if the extractor takes one of several rows of a list by its position. */
  readonly isByPosition: boolean;
}

export interface RequestFindings extends Findings {
  /** The exchanges whose responses first contained the server-generated values of the request. */
  readonly sources: ReadonlySet<Exchange>;
}

export interface ComparedSession {
  readonly session: RecordedSession;
  readonly values: FreshValues;
  readonly assessor: Assessor;
  readonly kept: ReadonlySet<string>;
  /** Values that `calibrate` found to be the same in recorded and live responses. */
  readonly constants: ReadonlySet<string>;
  readonly extracted: ReadonlyMap<string, readonly PlanVariable[]>;
}

export interface Findings {
  readonly stale: StaleValue[];
  readonly differing: Difference[];
  readonly unproven: UnprovenValue[];
}

/** An item, with its number of occurrences. */
export type Counted<Item> = Item & { readonly count: number };

/** A request that the plan sends although it does not replay a recorded call, or sends it again. */
export interface AddedRequest {
  readonly method: string;
  readonly url: string;
  /** Name of the call whose response the request got, or undefined for status 404. */
  readonly like: string | undefined;
  readonly isWrite?: true;
}

export interface ComparedCall extends RequestFindings {
  readonly call: RecordedCall;
  /** False if the request does not look like the recorded call to which the plan assigns it. */
  readonly isAlike: boolean;
}

/** The requests to the mock server, except those of redirects out of the recording. */
export class Observations {
  readonly compared: ComparedCall[] = [];
  readonly added: AddedRequest[] = [];

  get sent(): number {
    return this.compared.length + this.added.length;
  }

  get matched(): number {
    return this.compared.filter(({ stale, differing }) => stale.length + differing.length === 0)
      .length;
  }

  get stale(): StaleValue[] {
    return this.compared.flatMap(({ stale }) => stale);
  }
}

const MOST_SUGGESTIONS = 300;
type Suggestion = Pick<StaleValue, "extractor" | "write">;

const NO_SUGGESTION = { extractor: undefined, write: "" } as const;

export interface SuspectValue {
  readonly place: string;
  readonly text: string;
  /** The value, or the part of it by which it was found. */
  readonly part: string;
  readonly holder?: Exchange;
  readonly source?: IdSource;
}

/** Describes values with the variables of the plan, or the extractors that it needs. */
export class FindingCollector {
  readonly #session: RecordedSession;
  readonly #extracted: ComparedSession["extracted"];
  readonly #suggestions = new Map<string, Suggestion>();

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
    const { place, holder } = sent;
    const value = this.#wholeValue(sent);
    found.unproven.push({
      value,
      reason,
      call: this.#session.nameOf(call),
      place,
      producer: holder && this.#session.nameOfExchange(holder),
      ...(reason === "position" ? NO_SUGGESTION : this.#suggest(call, value, sent)),
      ...(reason === "same text" && { write: uniqueExample(value) }),
    });
  }

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

  /** Extends a part to the value around it: the text, without a scheme, or between delimiters. */
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

/** Returns a template such as `TEXT-${unique}`, as an example. */
function uniqueExample(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return "NAME+${unique}@HOST";
  if (/^[^\s/]+\.[A-Za-z]\w{0,4}$/.test(text)) return "NAME-${unique}.EXTENSION";
  return /\s/.test(text) ? "TEXT ${unique}" : "TEXT-${unique}";
}
