import type { CallPlace } from "./call_places.ts";

/** What is known about the values that requests send. */
export interface SentValues {
  /** Reports whether a text is the recorded one, with live values in place of recorded values. */
  isSame(recorded: string, sent: string): boolean;
  /** Reports whether a text is the live value of another recorded value. */
  isOther(recorded: string, sent: string): boolean;
  /** Reports whether the plan contains a text as a literal, so that no variable provides it. */
  isLiteral(sent: string, recorded: string): boolean;
}

/** A place at which a request differs from its recorded call. */
export interface PlaceDifference {
  /** Name of the place, such as `json $.user.id`. */
  readonly place: string;
  readonly recorded: CallPlace | undefined;
  readonly sent: CallPlace | undefined;
  /**
   * `missing` and `added`: only one of the two has the place. `type`: a number in place of text or
   * vice versa. `empty`: no text in place of some. `other`: the live value of another recorded
   * value. `literal`: another text of the plan. `variable`: any other text that the plan computes,
   * which may be right.
   */
  readonly kind: "missing" | "added" | "type" | "empty" | "other" | "literal" | "variable";
}

/** The places of a request, keyed by their names. */
export type Places = ReadonlyMap<string, CallPlace>;

/** Compares the places of a sent request with those of its recorded call (see `callPlaces`). */
export function compareRequests(
  recorded: Places,
  sent: Places,
  values: SentValues,
): PlaceDifference[] {
  const found: PlaceDifference[] = [];
  for (const [place, own] of recorded) {
    const other = sent.get(place);
    const kind = kindOf(own, other, values);
    if (kind !== undefined) found.push({ place, recorded: own, sent: other, kind });
  }
  for (const [place, other] of sent) {
    if (recorded.has(place)) continue;
    found.push({ place, recorded: undefined, sent: other, kind: "added" });
  }
  return found;
}

function kindOf(
  recorded: CallPlace,
  sent: CallPlace | undefined,
  values: SentValues,
): PlaceDifference["kind"] | undefined {
  if (sent === undefined) return "missing";
  if (recorded.numeric !== sent.numeric) return "type";
  if (recorded.text === sent.text || values.isSame(recorded.text, sent.text)) return undefined;
  if (sent.text === "") return "empty";
  if (values.isOther(recorded.text, sent.text)) return "other";
  return values.isLiteral(sent.text, recorded.text) ? "literal" : "variable";
}
