import { isWordy, nameHint } from "../../traffic/session/dynamic_value.ts";
import { hasSameName, nameOf } from "./effect.ts";
import type { Candidate } from "./sources/source_search.ts";
import type { Usage } from "./usages.ts";

/**
 * Reports whether a value is a constant that the client only echoes, such as a client id, or the id
 * of a form or of the focused element. Such a value consists of words, and requests send it only
 * under the name that it has in the response. For a value in a JSON body, `isRepeated` must also be
 * true, which means that several responses contain it. A token is never a constant.
 */
export function isEchoedConstant(
  { value, key, source }: Candidate,
  usages: readonly Usage[],
  isRepeated: boolean,
): boolean {
  return isWordy(value) && (isRepeated || source === "html") && !nameHint(key).token &&
    usages.every((usage) => {
      const { field, part } = usage;
      if (field.kind === "path" || part?.inPath) return false;
      return (part !== undefined || field.kind !== "header") && hasSameName(key, nameOf(usage));
    });
}
