import { fieldsIn } from "../../traffic/session/call_url.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { generatedValues } from "../values/generated_values.ts";
import { type CallPlace, isHeader } from "../recorded/call_places.ts";
import { collectionKind, isCountName, objectKind, parameterKind, readIdName } from "./id_name.ts";

/** A request field whose name suggests that its whole text is a short id. */
export interface SentId {
  readonly value: string;
  readonly place: string;
  /** Name of the field. Empty for a path segment. */
  readonly name: string;
  /** Kind of the object, or an empty string if unknown. */
  readonly kind: string;
  /**
   * True if only responses can show that the text is an id: the field is named `post` instead of
   * `post_id`, or is a parameter such as `t`, or the text is a word, such as `dark` in `theme_id`.
   */
  readonly isGuess: boolean;
}

/** Maximum length of a short id, in UTF-16 code units. */
const LONGEST = 64;
/** Matches ids such as `TK-77`. */
const TICKET = /^[A-Z]{1,8}-?\d{1,3}$/;
const DIGITS = /^(?!0+$)\d{1,3}$/;
/** Matches a number, and any text after a hyphen, in a query such as `?28-1.-form`. */
const NAMELESS = /^\d{1,3}(?:-[\w.-]*)?$/;
/** Matches text that contains a digit, and is neither zero nor a version such as `v2`. */
const ID = /^(?!v\d)(?=.*\d)(?!0+$)[\w.~@+=-]+$/i;

/** Matches text that consists of words. */
const WORD = /^[A-Za-z]{2,}(?:[_-][A-Za-z]+)*$/;

/**
 * Returns the request fields whose whole value may be a short id, which is an id that does not look
 * generated.
 */
export function sentIds(
  call: RecordedCall,
  places: ReadonlyMap<string, CallPlace>,
): SentId[] {
  const segments = fieldsIn(call.url.path);
  const operation = places.get("json $.operationName")?.text ?? "";
  const inPath = objectKind(segments.map(({ value }) => value).join(" "));
  return [...places].flatMap(([place, { text, isFile }]): SentId[] => {
    if (isFile || isHeader(place)) return [];
    if (WORD.test(text)) return wordIds(place, text);
    if (!isCandidate(text)) return [];
    const segment = /^path segment (\d+)/.exec(place);
    if (segment !== null) {
      const kind = collectionKind(segments[Number(segment[1]) - 2]?.value ?? "");
      return (DIGITS.test(text) || TICKET.test(text)) && kind !== ""
        ? [{ value: text, place, name: "", kind, isGuess: false }]
        : [];
    }
    const name = fieldName(place);
    const { isId, kind } = readIdName(name);
    if (place === "query ") {
      if (!NAMELESS.test(text)) return [];
      return [{ value: text, place, name, kind: parameterKind(""), isGuess: true }];
    }
    if (!isId) {
      const isShortId = (DIGITS.test(text) || TICKET.test(text)) && !isCountName(name);
      return isShortId ? [{ value: text, place, name, kind: objectKind(name), isGuess: true }] : [];
    }
    const around = () => objectKind(place.replace(/[^.]*$/, "")) || objectKind(operation) || inPath;
    return [{ value: text, place, name, kind: kind || around(), isGuess: false }];
  });
}

/**
 * Returns the field at `place`, whose text is a word, as a short id if the field's name ends in
 * `id`, as in `theme_id`. Otherwise, returns an empty list.
 */
function wordIds(place: string, text: string): SentId[] {
  if (text.length > LONGEST || !/^(?:query|form|multipart|json) /.test(place)) return [];
  const name = fieldName(place);
  const words = nameWords(name);
  const { kind } = readIdName(name);
  if (words.length < 2 || words.at(-1) !== "id" || kind === "") return [];
  return [{ value: text, place, name, kind, isGuess: true }];
}

function isCandidate(text: string): boolean {
  return text !== "" && text.length <= LONGEST && ID.test(text) &&
    generatedValues(text).length === 0;
}

/** Returns the last field name in a place such as `json $.a.userId` or `form user[id]`. */
function fieldName(place: string): string {
  const name = place.replace(/^\w+ /, "").replace(/ \(\d+\)$/, "");
  return place.startsWith("json") ? /([^.[\]]*)(?:\[\d+\])*$/.exec(name)![1] : name;
}
