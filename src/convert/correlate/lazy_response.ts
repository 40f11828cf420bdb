import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import type { ScannedLeaf } from "../../traffic/har/scan/leaf_scanner.ts";
import { decodeText } from "../../traffic/har/text_store.ts";
import type { FoundTokens } from "../../traffic/har/scan/token_scanner.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { BodyTokens } from "./body_tokens.ts";
import type { LeafFilter } from "./leaf_filter.ts";
import type { SearchedResponse } from "./sources/source_search.ts";

/** A recorded response that is decoded and parsed when a search reads it. */
export class LazyResponse implements SearchedResponse {
  readonly call: RecordedCall;
  readonly leaves: readonly ScannedLeaf[] | undefined;
  readonly utf8: Uint8Array | undefined;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;
  #tokens: { readonly found: FoundTokens | undefined } | undefined;
  readonly #bodyTokens: BodyTokens;

  /** Wraps the response of `call`. `filter` is undefined if all leaves need to be searched. */
  constructor(call: RecordedCall, filter: LeafFilter | undefined, tokens: BodyTokens) {
    this.call = call;
    this.#bodyTokens = tokens;
    const { utf8, mimeType } = call.exchange.response;
    this.utf8 = utf8;
    this.leaves = utf8 && filter?.find(utf8, mimeType);
  }

  /** True if the body was recorded. Does not decode it. */
  get hasBody(): boolean {
    return this.utf8 !== undefined || this.text !== undefined;
  }

  get text(): string | undefined {
    return this.#text ??= this.utf8 === undefined
      ? this.call.exchange.response.text
      : decodeText(this.utf8);
  }

  get json(): unknown {
    this.#json ??= { value: this.#parse() };
    return this.#json.value;
  }

  get isJson(): boolean {
    return this.leaves !== undefined || this.json !== undefined;
  }

  get tokens(): FoundTokens | undefined {
    this.#tokens ??= { found: this.#findTokens() };
    return this.#tokens.found;
  }

  #findTokens(): FoundTokens | undefined {
    return this.utf8 && this.#bodyTokens.find(this.utf8, this.text!);
  }

  #parse(): unknown {
    const { text } = this;
    return text === undefined
      ? undefined
      : parseJsonResponse(text, this.call.exchange.response.mimeType);
  }
}
