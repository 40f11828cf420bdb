import { parseSource } from "../../base/exact_json.ts";
import { parseJson, type ResponseView } from "../../extract/response_view.ts";
import type { RecordedResponse } from "../har/recording.ts";

/** A recorded response that extractors can read like a live response. */
export class RecordedView implements ResponseView {
  /** Parsed JSON body, which `json` returns. If undefined, `json` parses the text instead. */
  parsed: unknown;
  readonly #response: Pick<RecordedResponse, "headers" | "text" | "payload">;
  #text: string | undefined;
  #headers: ResponseView["headers"] | undefined;
  #json: unknown;
  #source: unknown;
  #html: unknown;

  /** Wraps a recorded response. `text` is its body, if the caller has already decoded it. */
  constructor(response: Pick<RecordedResponse, "headers" | "text" | "payload">, text?: string) {
    this.#response = response;
    this.#text = text;
  }

  get text(): string {
    return this.#text ??= this.#response.text ?? "";
  }

  get headers(): ResponseView["headers"] {
    return this.#headers ??= this.#response.headers.flatMap(({ name, value }) => {
      const key = name.toLowerCase();
      // Some recorders join several `Set-Cookie` headers with line breaks.
      const values = key === "set-cookie" ? value.split("\n") : [value];
      return values.map((one) => [key, one] as const);
    });
  }

  get json(): unknown {
    return this.parsed ?? (this.#json ??= parseJson(this.#jsonText()));
  }

  get jsonSource(): unknown {
    return this.#source ??= parseSource(this.#jsonText());
  }

  html<Document>(parse: (text: string) => Document): Document {
    return (this.#html ??= parse(this.text)) as Document;
  }

  storedCookie(): undefined {
    return undefined;
  }

  /**
   * Returns the JSON of a WebSocket message without its frame, or the body of a response without
   * its byte order mark, which the decoder also removes during a run.
   */
  #jsonText(): string {
    return this.#response.payload ?? this.#plain();
  }

  #plain(): string {
    return this.text.startsWith("\ufeff") ? this.text.slice(1) : this.text;
  }
}
