import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import type { ScannedLeaf } from "../../traffic/har/scan/leaf_scanner.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { LeafFilter } from "./leaf_filter.ts";
import type { SearchedResponse } from "./sources/source_search.ts";

/** A recorded response that is decoded and parsed when a search reads it. */
export class LazyResponse implements SearchedResponse {
  readonly call: RecordedCall;
  readonly leaves: readonly ScannedLeaf[] | undefined;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;

  /** `filter` is undefined if all leaves need to be searched. */
  constructor(call: RecordedCall, filter: LeafFilter | undefined) {
    this.call = call;
    this.leaves = filter?.find(call.exchange.response);
  }

  /** True if the body was recorded. Does not decode it. */
  get hasBody(): boolean {
    return this.call.exchange.response.utf8 !== undefined || this.text !== undefined;
  }

  get text(): string | undefined {
    return this.#text ??= this.call.exchange.response.text;
  }

  get json(): unknown {
    this.#json ??= { value: this.#parse() };
    return this.#json.value;
  }

  get isJson(): boolean {
    return this.leaves !== undefined || this.json !== undefined;
  }

  #parse(): unknown {
    const { text } = this;
    return text === undefined
      ? undefined
      : parseJsonResponse(text, this.call.exchange.response.mimeType);
  }
}
