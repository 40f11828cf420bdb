import type { TestedExtractor } from "../correlation/try_extractor.ts";
import { call, type Expression } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { RequestText } from "../plan/request_texts.ts";
import type { PlanDraft, PlanPoint } from "./draft.ts";
import type { LearnablePair } from "./learnable_pairs.ts";

/** A value that the plan now extracts. */
export interface NewVariable {
  readonly variable: string;
  readonly recorded: string;
  readonly live: string;
  readonly extractor: Extractor;
}

/**
 * Makes the plan extract a value from the response or message at a point, and send the variable in
 * place of the recorded value afterwards.
 */
export function extractVariable(
  draft: PlanDraft,
  point: PlanPoint,
  found: LearnablePair,
  { extractor: { type, ...options }, numeric }: TestedExtractor,
): NewVariable {
  const { recorded, live, literal } = found;
  const name = draft.unusedName(variableNameFor(found, draft.textsAfter(point, literal)));
  const extractor = { type, name, ...options } as Extractor;
  const expression: Expression = { kind: "variable", name };
  const encoded = call("url_encode", expression);
  draft.extract(point, extractor, literal, { expression, encoded, numeric });
  return { variable: name, recorded, live, extractor };
}

/**
 * Returns a name for the variable that holds a value, derived from the name of the value or of the
 * fields that send it.
 */
function variableNameFor(
  { pairs: [{ name }] }: LearnablePair,
  consumers: readonly RequestText[],
): string {
  const sent = consumers.find((text) => text.name !== "" && text.kind !== "path")?.name;
  const collection = consumers.find(({ kind, name }) => kind === "path" && isWord(name))?.name;
  const isBare = name === "" || /^(?:id|_id|value|location|href|src|content|data)$/i.test(name);
  if (!isBare) return name;
  if (collection !== undefined) return `${singular(collection)}_id`;
  return sent !== undefined && isWord(sent) ? sent : name || "value";
}

function isWord(name: string): boolean {
  return /^[A-Za-z][\w.-]{1,30}$/.test(name) && !/^(?:referer|cookie|origin)$/i.test(name);
}

function singular(name: string): string {
  return name.replace(/\.\w+$/, "").replace(/(?<=[a-z]{2})ies$/, "y").replace(
    /(?<=[a-z]{2}[^s])s$/,
    "",
  );
}
