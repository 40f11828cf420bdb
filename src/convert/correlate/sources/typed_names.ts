import { isWrite, type RecordedCall } from "../../../traffic/session/recorded_call.ts";

/**
 * Maximum length of a string in UTF-16 code units. Longer strings are not treated as names of
 * objects.
 */
const LONGEST = 120;
/** Minimum length of a string in UTF-16 code units. Shorter strings often occur by chance. */
const SHORTEST = 3;
const IN_BODY: ReadonlySet<string> = new Set(["form", "multipart", "json"]);

/**
 * Strings that may name one of the user's objects, such as a title: strings with letters in the
 * bodies of requests that change data. Each is mapped to the `order` (the position in the
 * recording) of the first call that sends it.
 */
export type TypedNames = ReadonlyMap<string, number>;

/**
 * Returns a function that reports whether the user typed a string before the given call. A string
 * that the call is the first to send does not count.
 */
export function isTypedBefore(
  typed: TypedNames,
  { order }: RecordedCall,
): (text: string) => boolean {
  return (text) => typed.size > 0 && (typed.get(text) ?? Infinity) < order;
}

/**
 * Finds the strings that may name one of the user's objects, such as a title, in the bodies of
 * requests that change data. Pages that list such objects show these strings, so a string
 * identifies the row of the user's object.
 */
export function typedNames(calls: readonly RecordedCall[]): TypedNames {
  const found = new Map<string, number>();
  for (const call of calls) {
    if (!isWrite(call)) continue;
    for (const { kind, value, numeric } of call.fields) {
      if (!IN_BODY.has(kind) || numeric || found.has(value)) continue;
      if (value.length < SHORTEST || value.length > LONGEST) continue;
      if (/\p{L}/u.test(value) && !/[\n\r\\]/.test(value)) found.set(value, call.order);
    }
  }
  return found;
}

/**
 * Maximum number of responses to search for a string. The searched responses are those just before
 * the first call that sends the string.
 */
const MOST_CALLS = 32;

/**
 * Names that the user typed, such as titles. In a page, they can identify the row of the user's
 * object. Excludes a string that a page contained before the user sent it, such as the name of a
 * button.
 */
export class RowNames {
  readonly #typed: TypedNames;
  readonly #calls: readonly RecordedCall[];
  readonly #isHeld = new Map<string, boolean>();

  constructor(typed: TypedNames, calls: readonly RecordedCall[]) {
    this.#typed = typed;
    this.#calls = calls;
  }

  /** True if the user did not type any names. */
  get isEmpty(): boolean {
    return this.#typed.size === 0;
  }

  /**
   * Returns the names that the user typed before the call with the position `order`, in the order
   * of the calls.
   */
  *before(order: number): Generator<string> {
    for (const [text, first] of this.#typed) {
      if (first >= order) return;
      yield text;
    }
  }

  /**
   * Reports whether the user typed the name `text`, which `before` returned. Returns false if one
   * of the 32 responses before the first call that sends the name contains it.
   */
  isTyped(text: string): boolean {
    let isHeld = this.#isHeld.get(text);
    if (isHeld === undefined) this.#isHeld.set(text, isHeld = this.#isHeldBefore(text));
    return !isHeld;
  }

  #isHeldBefore(text: string): boolean {
    const at = this.#calls.findIndex(({ order }) => order === this.#typed.get(text));
    const whole = new RegExp(`[>"'=]\\s*${RegExp.escape(text)}\\s*[<"'&]`);
    return this.#calls.slice(Math.max(0, at - MOST_CALLS), Math.max(0, at)).some(
      ({ exchange }) => {
        const body = exchange.response.text;
        return body !== undefined && body.includes(text) && whole.test(body);
      },
    );
  }
}
