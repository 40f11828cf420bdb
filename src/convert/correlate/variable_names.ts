import { RESERVED } from "../../plan/template.ts";

/** Gives out variable names, none twice. */
export class VariableNames {
  readonly #taken = new Set<string>(RESERVED);
  /** The last number given behind each name. */
  readonly #numbers = new Map<string, number>();

  /**
   * The name for a value that stands under `key`: lower case, other characters `_`, a number behind
   * the second of a name; `value` where there is no key.
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
