import { ENCODINGS } from "../../../plan/kinds/functions/function.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import { shown } from "./function_runtime.ts";

/**
 * Returns the encoding to use for a hash: `encoding`, or `hex` if it is undefined. Throws
 * TemplateFault if `encoding` is unknown.
 */
export function digestEncoding(encoding: unknown): "hex" | "base64" | "base64url" {
  if (encoding === undefined) return "hex";
  if (ENCODINGS.includes(encoding as string)) return encoding as "hex";
  throw new TemplateFault(`unknown encoding: ${shown(encoding)}`);
}
