import type { Extractor, ExtractorKind } from "../plan/kinds/extractors/extractors.ts";
import type { PartsRead, ResponseView } from "./response_view.ts";

/** Yields every match in a response, in order. Throws an Error if the body cannot be decoded. */
export type Find = (response: ResponseView) => Iterable<unknown>;

/** Extractor of the kind `K`, without its name. */
export type ExtractorOf<K extends ExtractorKind> = Omit<Extract<Extractor, { type: K }>, "name">;

/** Runtime half of a kind of extractor. */
export interface ExtractorRuntime<K extends ExtractorKind> {
  /** Parts of a response that the extractor reads. */
  readonly reads: PartsRead;
  /** Compiles an extractor, without its options `index`, `default` and `transform`. */
  find(extractor: ExtractorOf<K>): Find;
}
