import type { Base64Field } from "../traffic/session/base64_text.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { isNamedSecret } from "../traffic/session/secret_names.ts";

/** A range of a text in UTF-16 code units. `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets, such as passwords, in text that requests send in base64. */
export class EncodedSecrets {
  readonly #calls: readonly RecordedCall[];
  #known: Set<string> | undefined;

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls;
  }

  /**
   * Reports whether a text contains a secret outside of the `replaced` ranges. The plan would then
   * contain the secret as plain text. Secrets are the password of HTTP Basic authentication, parts
   * whose name indicates a secret, and values that a request sends in a field with such a name.
   */
  isIn(text: Base64Field, replaced: readonly Range[]): boolean {
    const isLeft = ({ start, end }: Range) =>
      start < end && !replaced.some((range) => range.start <= start && range.end >= end);
    const password = text.value.indexOf(":") + 1;
    const isBasic = /^basic /i.test(text.outer.value) && password > 0;
    if (isBasic && isLeft({ start: password, end: text.value.length })) return true;
    return text.parts().some((part) => {
      const value = text.value.slice(part.start, part.end);
      return isLeft(part) && (isNamedSecret(part.name, value) || this.#sent().has(value));
    });
  }

  /** Returns the values of request fields whose name indicates a secret. */
  #sent(): Set<string> {
    return this.#known ??= new Set(
      this.#calls.flatMap(({ fields }) =>
        fields.filter(({ name, value }) => isNamedSecret(name, value)).map(({ value }) => value)
      ),
    );
  }
}
