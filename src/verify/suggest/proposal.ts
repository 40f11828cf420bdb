import type { NamelessExtractor } from "../../extract/extractors.ts";
import type { Exchange } from "../../traffic/har/recording.ts";

/**
 * An extractor to try, and the name of the value that it reads. The name is empty if the value has
 * no name.
 */
export interface Proposal {
  readonly name: string;
  readonly extractor: NamelessExtractor;
}

/**
 * Proposes extractors that may read `value` from the response of an exchange, in order of
 * preference.
 */
export type Propose = (value: string, exchange: Exchange) => Iterable<Proposal>;
