import { random } from "../../base/random.ts";
import { compileExtractor, type NamelessExtractor } from "../../extract/extractors.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { RESERVED } from "../../plan/expressions/reserved.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import { boundaryExtractors } from "./boundary_extractors.ts";
import { headerExtractors } from "./header_extractors.ts";
import { inputExtractors } from "./input_extractors.ts";
import { memberExtractors } from "./member_extractors.ts";
import type { Proposal, Propose } from "./proposal.ts";

const PROPOSERS: readonly Propose[] = [
  headerExtractors,
  memberExtractors,
  inputExtractors,
  boundaryExtractors,
];

/** Random number generator that extractors require. The proposed extractors never use it. */
const RANDOM = random(1);

/**
 * Returns an extractor that reads `value` from the response of an exchange. Tests it on the
 * recorded response with the same code as a run. `sentAs` is the name of the value in the request.
 * Returns undefined if no extractor returns the value.
 */
export function suggestExtractor(
  value: string,
  exchange: Exchange,
  sentAs: string,
): Extractor | undefined {
  return firstThatReturns(value, exchange, sentAs, proposals(value, exchange));
}

function* proposals(value: string, exchange: Exchange): Generator<Proposal> {
  for (const propose of PROPOSERS) yield* propose(value, exchange);
}

/** Returns the first proposed extractor that returns `value` from the recorded response. */
export function firstThatReturns(
  value: string,
  exchange: Exchange,
  sentAs: string,
  proposed: Iterable<Proposal>,
): Extractor | undefined {
  const view = new RecordedView(exchange.response);
  for (const { name, extractor } of proposed) {
    if (returns(extractor, value, view)) {
      const { type, ...rest } = extractor;
      return {
        type,
        name: variableName(isVague(extractor, name) ? sentAs || "id" : name),
        ...rest,
      } as Extractor;
    }
  }
  return undefined;
}

function returns(extractor: NamelessExtractor, value: string, view: RecordedView): boolean {
  try {
    return leafText(compileExtractor(extractor).take(view, RANDOM)) === value;
  } catch {
    return false;
  }
}

/**
 * Reports whether a name gives little information about the value, for example because the name was
 * only derived from the text before the value.
 */
function isVague({ type }: NamelessExtractor, name: string): boolean {
  return name === "" || name === "location" || type === "boundary";
}

/** Converts the name of a field to the name of a variable. */
function variableName(name: string): string {
  const bare = name.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || "value";
  const variable = /^\d/.test(bare) ? `_${bare}` : bare;
  return RESERVED.has(variable) ? `${variable}_value` : variable;
}
