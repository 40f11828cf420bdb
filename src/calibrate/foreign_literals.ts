import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { fieldParts } from "../traffic/session/field_parts.ts";
import { boundedOffsets } from "./literal_edit.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/** A literal in a request that may be a value of another user. */
export interface ForeignLiteral {
  /** Name of the field, parameter or member, or the path segment before the literal. */
  readonly name: string;
  readonly value: string;
}

/** Maximum number of literals to return. */
const MOST = 5;
/** Maximum length of a literal in UTF-16 code units. Longer ones are probably documents. */
const LONGEST = 200;

/**
 * Returns the literals of a request that are complete fields, parameters, members or path segments,
 * and that the server sent in an earlier response in the recording, but in none of the earlier live
 * responses to the user who sent the request. `steps` contains these, by the number of the request.
 * `index` is the number of the request in the plan. Ignores headers. Returns at most five literals
 * as `foreign`, or an empty object if there are none.
 */
export function findForeignLiterals(
  index: number,
  request: Request,
  recorded: RecordedSide,
  steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>,
): { foreign?: readonly ForeignLiteral[] } {
  const live = [...steps].flatMap(([i, { response }]) => i < index ? [response] : []);
  const found = new Map<string, ForeignLiteral>();
  for (const literal of literalsOf(request)) {
    const { value } = literal;
    const isKnown = value === "" || value.length > LONGEST || found.has(value);
    if (isKnown || !recorded.isReceivedBefore(index, value)) continue;
    if (live.some((response) => contains(response, value))) continue;
    found.set(value, literal);
    if (found.size === MOST) break;
  }
  return found.size === 0 ? {} : { foreign: [...found.values()] };
}

function literalsOf(request: Request): ForeignLiteral[] {
  return requestTexts(request).flatMap(({ kind, name, template }): ForeignLiteral[] => {
    if (kind === "host" || kind === "header" || kind === "form-name") return [];
    const parts = parseTemplate(template);
    if (kind !== "body") {
      const [only] = parts;
      return parts.length === 1 && only.kind === "text" ? [{ name, value: only.text }] : [];
    }
    // A body can consist of fields. Their literals must not touch an expression.
    return parts.flatMap((part) =>
      part.kind === "text"
        ? fieldParts(part.text, "").map(({ name, start, end }) => ({
          name,
          value: part.text.slice(start, end),
        }))
        : []
    );
  });
}

function contains({ text, headers }: ResponseSnapshot, value: string): boolean {
  return boundedOffsets(text ?? "", value).length > 0 ||
    headers.some((header) => boundedOffsets(header.value, value).length > 0);
}
