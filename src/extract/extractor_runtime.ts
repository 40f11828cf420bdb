import type { Extractor, ExtractorKind } from "../plan/kinds/extractors/extractors.ts";
import type { PartsRead, ResponseView } from "./response_view.ts";

/** Returns all matches in a response, in order. Throws an Error if the body cannot be decoded. */
export type Find = (response: ResponseView) => Iterable<unknown>;

/** A value in a JSON body, and its location: the names and indexes that lead to the value. */
export interface LocatedValue {
  readonly value: unknown;
  readonly location: readonly (string | number)[];
}

/** Finds values in a JSON body, and returns them with their locations. */
export type FindLocated = (response: ResponseView) => Iterable<LocatedValue>;

/** Extractor of the kind `K`, without the name of its variable. */
export type ExtractorOf<K extends ExtractorKind> = Omit<Extract<Extractor, { type: K }>, "name">;

/**
 * Runtime implementation of a kind of extractor. `src/plan/kinds/extractors` defines how a plan
 * specifies the extractor.
 */
export interface ExtractorRuntime<K extends ExtractorKind> {
  /** Parts of a response that the extractor reads. */
  readonly reads: PartsRead;
  /** Compiles an extractor. Ignores the `index`, `default` and `transform` options. */
  find(extractor: ExtractorOf<K>): Find;
  /** Compiles an extractor that also returns the locations of its matches in a JSON body. */
  locate?(extractor: ExtractorOf<K>): FindLocated;
}
