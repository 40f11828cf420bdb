import { RESERVED } from "../../plan/template.ts";

/** Generates unique variable names. */
export class VariableNames {
  readonly #taken = new Set<string>(RESERVED);
  /** Last number appended to each name. */
  readonly #numbers = new Map<string, number>();

  /**
   * Returns the name for a value with the name `key`: in lower case, other characters replaced by `_`,
   * and a number appended if the name is taken; `value` if `key` is empty.
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
