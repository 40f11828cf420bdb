import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { plainName } from "../traffic/session/secret_names.ts";
import type { SharedValue } from "./explain_pieces.ts";
import type { Known } from "./propose_text.ts";
import { mayChangeData } from "./words.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";

/** Lengths of a text that a user types as a name, in UTF-16 code units. */
const [SHORTEST, LONGEST] = [3, 120];
const IN_BODY: ReadonlySet<string> = new Set(["form", "multipart", "json"]);
/** Matches the parts of a text that can be values. */
const TOKEN = /[^\s/=&?#"'\\<>;,:(){}[\]]+/g;

function isPassword(name: string): boolean {
  return plainName(name).startsWith("pass");
}

/** What the session shows about the texts around values. */
export class KnownTexts {
  /** Maps each text that a write sent to the position of the first such call. */
  readonly #typed = new Map<string, number>();
  #changing: ReadonlySet<string> = new Set();

  constructor(calls: readonly RecordedCall[]) {
    for (const call of calls) {
      // A name that is sent with a password is the user's own, which another user replaces.
      if (isSafeMethod(methodOf(call)) || call.fields.some(({ name }) => isPassword(name))) {
        continue;
      }
      for (const { kind, value, numeric } of call.fields) {
        if (!IN_BODY.has(kind) || numeric || this.#typed.has(value)) continue;
        if (value.length < SHORTEST || value.length > LONGEST) continue;
        if (/\p{L}/u.test(value) && !/[\n\r\\]/.test(value)) this.#typed.set(value, call.order);
      }
    }
  }

  /** Removes the texts that an earlier response contained. */
  setReceived(values: readonly SharedValue[]): void {
    for (const { value, sources } of values) {
      const order = this.#typed.get(value);
      if (order !== undefined && sources.some(({ step }) => step.order < order)) {
        this.#typed.delete(value);
      }
    }
  }

  /** Adds the values of variables, which differ in the next session. */
  setVariables(values: Iterable<string>): void {
    this.#changing = new Set(values);
  }

  /** Returns what is known before the response to a call. */
  before(call: RecordedCall): Known {
    const { order } = call;
    return {
      isReply: mayChangeData(call),
      typed: (text) => (this.#typed.get(text) ?? Infinity) < order,
      changing: (text) =>
        this.#changing.size > 0 && text.matchAll(TOKEN).some(([one]) => this.#changing.has(one)),
    };
  }
}
