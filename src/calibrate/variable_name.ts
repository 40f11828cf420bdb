import type { RequestText } from "../plan/request_texts.ts";
import type { LearnablePair } from "./learnable_pairs.ts";

/**
 * Returns a name for the variable that holds a value, derived from the name of the value or of the
 * fields that send it (`consumers`).
 */
export function variableNameFor(
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
