import { RESERVED } from "../../plan/template.ts";

/** Gives out variable names, none twice. */
export class VariableNames {
  readonly #taken = new Set<string>(RESERVED);

  /**
   * The name for a value that stands under `key`: lower case, other characters `_`, a number behind
   * the second of a name; `value` where there is no key.
   */
  next(key: string): string {
    const bare = key.toLowerCase().replace(/[^a-z0-9_]/g, "_") || "value";
    const base = /^\d/.test(bare) ? "_" + bare : bare;
    let name = base;
    for (let n = 2; this.#taken.has(name); n++) name = `${base}_${n}`;
    this.#taken.add(name);
    return name;
  }
}
