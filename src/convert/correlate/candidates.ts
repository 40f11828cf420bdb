import { parseSource } from "../../base/exact_json.ts";
import { isNumber } from "../../base/exact_number.ts";
import { random } from "../../base/random.ts";
import { compileNow } from "../../extract/compile_now.ts";
import { parseJson, type ResponseView } from "../../extract/response_view.ts";
import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import { isShortNumber, nameHint } from "../../traffic/session/dynamic_value.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import { PrefilteredSet } from "../../traffic/session/prefiltered_set.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestValues } from "../../traffic/session/request_values.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { boundaryAround } from "./sources/boundary_expression.ts";
import { indexEncodings } from "./sources/encoded_source.ts";
import type { Candidate, WantedValues } from "./sources/source_search.ts";
import { SOURCES } from "./sources/sources.ts";

/**
 * Collects candidates from all responses, and passes them to `add` in the order in which the
 * responses ended. From JSON bodies, collects every dynamic-looking value that a request may send,
 * or all dynamic-looking values if `all` is true. From other sources, collects only values that
 * requests send. Skips a value if no extractor returns it from the recorded response. Returns the
 * calls whose inputs and meta tags were not read because the page exceeds a markup limit.
 */
export function collectCandidates(
  calls: readonly RecordedCall[],
  sent: RequestValues,
  all: boolean,
  add: (candidate: Candidate) => void,
): RecordedCall[] {
  const wanted = wantedValues(sent, all);
  const searches = Object.values(SOURCES);
  const unread: RecordedCall[] = [];
  const trial = new Trial();
  const found = {
    add(candidate: Candidate) {
      const tested = trial.test(candidate);
      if (tested !== undefined) add(tested);
    },
    unreadMarkup: (call: RecordedCall) => unread.push(call),
  };
  for (const call of byEnd(calls)) {
    const { text, mimeType } = call.exchange.response;
    const json = text === undefined ? undefined : parseJsonResponse(text, mimeType);
    trial.load(call, text, json);
    for (const { search } of searches) search({ call, text, json }, wanted, found);
  }
  return unread;
}

function wantedValues(sent: RequestValues, all: boolean): WantedValues {
  const sought = new ValueIndex();
  for (const value of sent.sought.keys()) sought.add(value);
  const encodings = indexEncodings(sent);
  const encoded = new PrefilteredSet();
  for (const source of encodings.keys()) encoded.add(source);
  const mayBeSent = (value: string) => all || sent.mayHold(value) || encoded.has(value);
  return { sent, sought, encodings, mayBeSent };
}

function byEnd(calls: readonly RecordedCall[]): RecordedCall[] {
  return calls.toSorted((a, b) => a.endedAt - b.endedAt || a.order - b.order);
}

/**
 * Collects the candidates for each value. The caller must add them in the order in which their
 * responses ended. For each value and source, keeps the candidate whose response ended first. Also
 * keeps a later candidate if its call comes earlier in the plan. Ignores a number of fewer than
 * four digits unless the name of its field suggests an id.
 */
export class CandidatePool {
  readonly #byValue = new Map<string, Candidate[]>();

  add(candidate: Candidate): void {
    if (isShortNumber(candidate.value) && !nameHint(candidate.key).idLike) return;
    const known = this.#byValue.get(candidate.value);
    if (known === undefined) this.#byValue.set(candidate.value, [candidate]);
    else if (!known.some((other) => precedes(other, candidate))) known.push(candidate);
  }

  has(value: string): boolean {
    return this.#byValue.has(value);
  }

  /**
   * Returns an iterator over the values and their candidates, in the order in which the values were
   * added.
   */
  entries(): IterableIterator<[string, Candidate[]]> {
    return this.#byValue.entries();
  }

  values(): IterableIterator<string> {
    return this.#byValue.keys();
  }
}

function precedes(a: Candidate, b: Candidate): boolean {
  return a.source === b.source && a.producer.order <= b.producer.order;
}

/** Random number generator that `compileNow` requires. Extractors written by `convert` never use it. */
const RANDOM = random(1);

/** Tests extractors on recorded responses, with the code that a run uses. */
export class Trial {
  #view!: RecordedView;
  #body: unknown;

  /**
   * Sets the response for subsequent tests. `text` is its recorded body, and `body` is the parsed
   * JSON, or undefined if the body is not JSON. Use one `Trial` for all responses, because each
   * candidate keeps its `Trial`, including the body, in memory.
   */
  load(call: RecordedCall, text: string | undefined, body: unknown): void {
    this.#view = new RecordedView(call, text ?? "");
    this.#body = body;
  }

  /**
   * Tests whether the candidate's extractor returns the recorded value. If it does not, and the
   * value comes from the body, tries a `boundary` extractor. Returns the candidate with the
   * extractor that works, or undefined if neither works.
   */
  test(candidate: Candidate): Candidate | undefined {
    if (this.#returnsValue(candidate)) return candidate;
    const boundary = SOURCES[candidate.source].inBody ? this.#byBoundary(candidate) : undefined;
    return boundary && this.#returnsValue(boundary) ? boundary : undefined;
  }

  #returnsValue({ value, numeric, locate }: Candidate): boolean {
    const extractor = locate();
    // The way numbers are parsed does not affect strings, so reuse the parsed body.
    const isAnyParser = !numeric && extractor.transform === undefined;
    this.#view.parsed = isAnyParser ? this.#body : undefined;
    try {
      const extracted = compileNow(extractor)(this.#view, RANDOM);
      return leafText(extracted) === value && isNumber(extracted) === numeric;
    } catch {
      return false;
    }
  }

  #byBoundary(candidate: Candidate): Candidate | undefined {
    const { value } = candidate;
    const { text } = this.#view;
    const start = text.indexOf(value);
    const around = start < 0 ? undefined : boundaryAround(text, start, value.length);
    if (around === undefined) return undefined;
    const { left, right } = around;
    return { ...candidate, numeric: false, locate: () => ({ type: "boundary", left, right }) };
  }
}

class RecordedView implements ResponseView {
  readonly text: string;
  /** Parsed JSON body for `json` to return. If undefined, `json` parses the text instead. */
  parsed: unknown;
  readonly #call: RecordedCall;
  #headers: ResponseView["headers"] | undefined;
  #json: unknown;
  #source: unknown;
  #html: unknown;

  constructor(call: RecordedCall, text: string) {
    this.#call = call;
    this.text = text;
  }

  get headers(): ResponseView["headers"] {
    return this.#headers ??= this.#call.exchange.response.headers.flatMap(({ name, value }) => {
      const key = name.toLowerCase();
      // Some recorders join several `Set-Cookie` headers with line breaks.
      const values = key === "set-cookie" ? value.split("\n") : [value];
      return values.map((one) => [key, one] as const);
    });
  }

  get json(): unknown {
    return this.parsed ?? (this.#json ??= parseJson(this.#plain()));
  }

  get jsonSource(): unknown {
    return this.#source ??= parseSource(this.#plain());
  }

  html<Document>(parse: (text: string) => Document): Document {
    return (this.#html ??= parse(this.text)) as Document;
  }

  storedCookie(): undefined {
    return undefined;
  }

  /** Returns the body without its byte order mark, which the decoder also removes during a run. */
  #plain(): string {
    return this.text.startsWith("\ufeff") ? this.text.slice(1) : this.text;
  }
}
