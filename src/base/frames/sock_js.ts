import { isJsonText } from "../exact_json.ts";
import type { FramedJson } from "./frame.ts";

/**
 * Returns the JSON in a SockJS frame, such as `a["{\"id\":7}"]`: a list of strings, each of
 * which is a message. Replaces each string that contains JSON with this JSON. Returns undefined for
 * any other text.
 */
export function sockJs(
  text: string,
  nested: (text: string) => FramedJson | undefined,
): FramedJson | undefined {
  if (!text.startsWith("a[")) return undefined;
  const messages = stringsIn(text.slice(1));
  if (messages === undefined) return undefined;
  const items = messages.map((message) =>
    isJsonText(message) ? message : nested(message)?.json ?? JSON.stringify(message)
  );
  return { json: `[${items.join()}]`, ranges: [] };
}

/** Returns the elements of a JSON list of strings, or undefined if `text` is anything else. */
function stringsIn(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}
