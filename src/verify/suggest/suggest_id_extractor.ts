import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { HeldIdFinder } from "../names/held_ids.ts";
import { boundaryAt } from "./boundary_extractors.ts";
import { inputExtractors } from "./input_extractors.ts";
import { memberPath } from "./member_extractors.ts";
import type { Proposal } from "./proposal.ts";
import { firstThatReturns } from "./suggest_extractor.ts";

/**
 * Returns an extractor that reads a short id from the response of an exchange. `name` is the name
 * of the id in the response, or an empty string for a path segment. Returns undefined if no
 * extractor returns it.
 */
export function suggestIdExtractor(
  value: string,
  exchange: Exchange,
  name: string,
  sentAs: string,
): Extractor | undefined {
  return firstThatReturns(value, exchange, sentAs, propose(value, exchange, name));
}

function* propose(value: string, exchange: Exchange, name: string): Generator<Proposal> {
  const { headers, text, mimeType, payload } = exchange.response;
  const finder = new HeldIdFinder(new Set([value]));
  const location = headers.find((field) => field.name.toLowerCase() === "location")?.value;
  for (const { start, name: found } of finder.find(location ?? "", exchange)) {
    const [before] = /[\w.-]*[/=]$/.exec(location!.slice(0, start)) ?? [];
    if (found !== name || before === undefined) continue;
    const expression = `${before.replace(/[.]/g, "\\.")}([^/?#&]+)`;
    yield { name, extractor: { type: "header", header: "location", expression } };
  }
  if (text === undefined) return;
  const path = memberPath(value, parseJsonResponse(text, mimeType, payload), name);
  if (path !== undefined) yield { name, extractor: { type: "jsonpath", expression: path } };
  for (const proposal of inputExtractors(value, exchange)) {
    if (proposal.name === name) yield proposal;
  }
  for (const { start, end, name: found } of finder.find(text, exchange)) {
    if (found !== name) continue;
    const boundary = boundaryAt(text, start, end);
    if (boundary !== undefined) yield { name, extractor: boundary };
  }
}
