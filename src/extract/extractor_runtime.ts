import type { Extractor, ExtractorKind } from "../plan/kinds/extractors/extractors.ts";
import type { PartsRead, ResponseView } from "./response_view.ts";

/** Returns all matches in a response, in order. Throws an Error if the body cannot be decoded. */
export type Find = (response: ResponseView) => Iterable<unknown>;

/** Extractor of the kind `K`, without the name of its variable. */
export type ExtractorOf<K extends ExtractorKind> = Omit<Extract<Extractor, { type: K }>, "name">;

/**
 * Runtime implementation of a kind of extractor. `src/plan/kinds/extractors` defines its form in
 * the plan language.
 */
export interface ExtractorRuntime<K extends ExtractorKind> {
  /** Parts of a response that the extractor reads. */
  readonly reads: PartsRead;
  /** Compiles an extractor. Ignores the options `index`, `default` and `transform`. */
  find(extractor: ExtractorOf<K>): Find;
}
