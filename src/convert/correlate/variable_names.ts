import { RESERVED } from "../../plan/text/template.ts";

/** Generates unique variable names. */
export class VariableNames {
  readonly #taken = new Set<string>(RESERVED);
  /** Last number appended to each base name. */
  readonly #numbers = new Map<string, number>();

  /**
   * Returns a unique variable name for a value from the field `key` (`value` if `key` is empty).
   * Converts it to lower case and replaces other characters than letters, digits and `_` with `_`.
   * Appends a number if the name is already used or reserved.
   */
  next(key: string): string {
    const bare = key.toLowerCase().replace(/[^a-z0-9_]/g, "_") || "value";
    const base = /^\d/.test(bare) ? "_" + bare : bare;
    let name = base;
    let number = this.#numbers.get(base) ?? 1;
    while (this.#taken.has(name)) name = `${base}_${++number}`;
    this.#numbers.set(base, number);
    this.#taken.add(name);
    return name;
  }
}
