import { parseSource } from "../../base/exact_json.ts";
import { isNumber } from "../../base/exact_number.ts";
import { random } from "../../base/random.ts";
import { compileNow } from "../../extract/compile_now.ts";
import { parseJson, type ResponseView } from "../../extract/response_view.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { boundaryAround } from "./sources/boundary_expression.ts";
import type { Candidate } from "./sources/source_search.ts";
import { SOURCES } from "./sources/sources.ts";

/** Random generator that `compileNow` requires; the extractors that `convert` writes never use it. */
const RANDOM = random(1);

/** Tests extractors on a recorded response, with the same code as a run. */
export class Trial {
  #view!: RecordedView;
  #body: unknown;

  /**
   * Sets the response for the next tests. `text` is its recorded body, and `body` the parsed JSON or
   * undefined. Use one trial for all responses; otherwise the candidates would keep every body in
   * memory.
   */
  load(call: RecordedCall, text: string | undefined, body: unknown): void {
    this.#view = new RecordedView(call, text ?? "");
    this.#body = body;
  }

  /**
   * Tests whether the candidate's extractor returns the recorded value. If it does not and the value is
   * in the body, tests a `boundary` extractor. Returns the candidate with the extractor that returns
   * the value, or undefined if none does.
   */
  test(candidate: Candidate): Candidate | undefined {
    if (this.#returnsValue(candidate)) return candidate;
    const boundary = SOURCES[candidate.source].inBody ? this.#byBoundary(candidate) : undefined;
    return boundary && this.#returnsValue(boundary) ? boundary : undefined;
  }

  #returnsValue({ value, numeric, locate }: Candidate): boolean {
    const extractor = locate();
    // How numbers are parsed does not affect strings, so reuse the parsed body.
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
  /** The JSON body if it was already parsed; otherwise undefined, and `json` parses the text. */
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

  /** Returns the body without its byte order mark, which the decoder of a run also removes. */
  #plain(): string {
    return this.text.startsWith("\ufeff") ? this.text.slice(1) : this.text;
  }
}
