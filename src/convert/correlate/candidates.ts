import { isNumber } from "../../base/exact_number.ts";
import { random } from "../../base/random.ts";
import { compileExtractor } from "../../extract/extractors.ts";
import { isShortNumber } from "../../traffic/session/dynamic_value.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import type { RequestValues } from "./sources/request_values.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { FieldNameSearch } from "./field_name_search.ts";
import { LinkSearch } from "./link_search.ts";
import { boundaryAround, regexAround } from "./sources/boundary_expression.ts";
import { searchEmbedded } from "./sources/json_source.ts";
import { EncodedForms } from "./sources/encoded_source.ts";
import type {
  Candidate,
  Located,
  SearchedResponse,
  WantedValues,
} from "./sources/source_search.ts";
import { SOURCES } from "./sources/sources.ts";
import { RowNames, type TypedNames } from "./sources/typed_names.ts";
import { TypedRowSearch } from "./typed_row_search.ts";
import { RpcIdSearch } from "./rpc_ids.ts";
import { searchNeighbours } from "./neighbour_search.ts";

/**
 * Collects candidates from all responses, and passes them to `add` in the order in which the
 * responses ended. From JSON bodies, collects every dynamic-looking value that a request may send,
 * or all dynamic-looking values if `all` is true. From other sources, collects only values that
 * requests send. `typed` contains the names that the user typed. Skips a value if no extractor
 * returns it from the recorded response. If a page exceeds a markup limit, does not read its inputs and
 * meta tags. Returns the calls whose responses are such pages.
 */
export function collectCandidates(
  calls: readonly RecordedCall[],
  sent: RequestValues,
  typed: TypedNames,
  all: boolean,
  add: (candidate: Candidate) => void,
): RecordedCall[] {
  const wanted = wantedValues(sent, typed, all);
  const searches = Object.values(SOURCES);
  const unread: RecordedCall[] = [];
  const trial = new Trial();
  const links = new LinkSearch(calls);
  const names = new FieldNameSearch(calls);
  const found = {
    add(candidate: Candidate) {
      const tested = trial.test(candidate);
      if (tested !== undefined) add(tested);
    },
    unreadMarkup: (call: RecordedCall) => unread.push(call),
  };
  const rpcIds = new RpcIdSearch();
  const rows = new TypedRowSearch(calls, new RowNames(typed, calls));
  for (const call of byEnd(calls)) {
    const response = new LazyResponse(call);
    trial.load(response);
    const hasBody = response.text !== undefined;
    for (const { inBody, search } of searches) {
      if (hasBody || !inBody) search(response, wanted, found);
    }
    if (hasBody) searchNeighbours(response, wanted, found);
    rpcIds.search(response, found);
    links.search(response, found);
    names.search(response, found);
    if (hasBody) rows.search(response, found);
    if (hasBody) searchEmbedded(response, wanted, found);
  }
  return unread;
}

/** A recorded response that is parsed only when a search reads its JSON. */
class LazyResponse implements SearchedResponse {
  readonly call: RecordedCall;
  #json: { readonly value: unknown } | undefined;

  constructor(call: RecordedCall) {
    this.call = call;
  }

  get text(): string | undefined {
    return this.call.exchange.response.text;
  }

  get json(): unknown {
    this.#json ??= { value: this.#parse() };
    return this.#json.value;
  }

  #parse(): unknown {
    const { text, mimeType, payload } = this.call.exchange.response;
    return text === undefined ? undefined : parseJsonResponse(text, mimeType, payload);
  }
}

function wantedValues(sent: RequestValues, typed: TypedNames, all: boolean): WantedValues {
  let sought: ValueIndex | undefined;
  const encodings = new EncodedForms(sent);
  const mayBeSent = (value: string) => all || sent.mayHold(value) || encodings.has(value);
  return {
    sent,
    // Only bodies need the index.
    get sought() {
      return sought ??= indexOf(sent.sought.keys());
    },
    encodings,
    typed,
    mayBeSent,
  };
}

function indexOf(values: Iterable<string>): ValueIndex {
  const index = new ValueIndex();
  for (const value of values) index.add(value);
  return index;
}

function byEnd(calls: readonly RecordedCall[]): RecordedCall[] {
  return calls.toSorted((a, b) => a.endedAt - b.endedAt || a.order - b.order);
}

/**
 * Random number generator that `compileExtractor` requires. Extractors written by `convert` never use it.
 */
const RANDOM = random(1);

/** Maximum number of occurrences of a value to check when looking for boundaries around it. */
const MOST_OCCURRENCES = 8;

/** Tests extractors on recorded responses, with the code that a run uses. */
export class Trial {
  #response!: SearchedResponse;
  #loadedView: RecordedView | undefined;

  /** Sets the response for subsequent tests. */
  load(response: SearchedResponse): void {
    this.#response = response;
    this.#loadedView = undefined;
  }

  get #view(): RecordedView {
    return this.#loadedView ??= new RecordedView(this.#response.call.exchange.response);
  }

  /**
   * Tests whether the candidate's extractor returns the recorded value. If it does not, and the
   * value comes from the body, tries `boundary` and `regex` extractors, except for short numbers
   * and values found in links. Returns the candidate with the extractor that works, or undefined if
   * none works.
   */
  test(candidate: Candidate): Candidate | undefined {
    if (this.#returnsValue(candidate)) return candidate;
    const { source, by, value } = candidate;
    if (!SOURCES[source].inBody || by === "link" || isShortNumber(value)) return undefined;
    return this.#byText(candidate).find((other) => this.#returnsValue(other));
  }

  #returnsValue({ value, numeric, located }: Candidate): boolean {
    try {
      const extracted = compileExtractor(located).take(
        this.#viewFor(located, numeric),
        RANDOM,
      );
      return leafText(extracted) === value && isNumber(extracted) === numeric;
    } catch {
      return false;
    }
  }

  #viewFor({ type, transform }: Located, numeric: boolean): RecordedView {
    // The way numbers are parsed does not affect strings, so reuse the parsed body.
    const isAnyParser = type === "jsonpath" && !numeric && transform === undefined;
    this.#view.parsed = isAnyParser ? this.#response.json : undefined;
    return this.#view;
  }

  /**
   * Yields copies of the candidate, each with an extractor that finds one occurrence of the value
   * by the text around it.
   */
  *#byText(candidate: Candidate): Generator<Candidate, undefined> {
    const { value } = candidate;
    const { text } = this.#view;
    let start = text.indexOf(value);
    for (let i = 0; i < MOST_OCCURRENCES && start >= 0; i++) {
      const around = boundaryAround(text, start, value.length);
      const located = around
        ? { type: "boundary", left: around.left, right: around.right } as const
        : regexAround(text, start, value.length);
      if (located) yield { ...candidate, numeric: false, located };
      start = text.indexOf(value, start + value.length);
    }
  }
}
