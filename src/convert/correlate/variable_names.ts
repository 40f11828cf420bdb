import { nameHint, nameWords } from "../../traffic/session/dynamic_value.ts";
import { RESERVED } from "../../plan/expressions/reserved.ts";
import type { Ruling } from "./ruling.ts";
import { callWords, consumerWords } from "./place_words.ts";
import { memberNames, resourceWords } from "./resource_names.ts";

/** Generates the names of variables. */
export class VariableNames {
  readonly #names = new UniqueNames(RESERVED);

  /**
   * Returns the name of the variable for each ruling (the decision on one value). The rulings must
   * be sorted by the order of the calls whose responses contain their values. A name is based on
   * the name of the field in the response. If several fields are called `id`, or a link contains
   * the value, it is based on the resource (`article_id`). A rotating value, such as a token that
   * each response replaces, keeps one variable: its name is reused if no later request uses the
   * previous value.
   */
  nameAll(rulings: readonly Ruling[]): string[] {
    const ids = rulings.filter(({ candidate }) => isBareId(candidate.key)).length;
    const current = new Map<string, { name: string; lastUse: number }[]>();
    return rulings.map((ruling) => {
      const { key, producer, collection } = ruling.candidate;
      const byResource = isBareId(key) && (ids > 1 || collection !== undefined);
      const base = byResource ? resourceName(ruling) : key;
      if (!isRotating(base)) return this.#next(base);
      const lastUse = findLastUse(ruling);
      const known = current.get(base.toLowerCase()) ?? [];
      current.set(base.toLowerCase(), known);
      const free = known.find((one) => one.lastUse <= producer.order);
      if (free === undefined) known.push({ name: this.#next(base), lastUse });
      else free.lastUse = lastUse;
      return (free ?? known.at(-1)!).name;
    });
  }

  /**
   * Returns a unique variable name based on `key`, or on the word `value` if `key` is empty.
   * Converts the name to lower case, and replaces all characters except ASCII letters, digits and
   * `_` with `_`. Prepends `_` to a leading digit. Appends a number if the name is already used or
   * reserved.
   */
  #next(key: string): string {
    const bare = key.toLowerCase().replace(/[^a-z0-9_]/g, "_") || "value";
    return this.#names.next(/^\d/.test(bare) ? "_" + bare : bare);
  }
}

/** Makes names unique by appending numbers, in constant time per name. */
export class UniqueNames {
  readonly #taken: Set<string>;
  /** Maps each base name to the last number that was appended to it. */
  readonly #numbers = new Map<string, number>();

  /** The names in `taken` are not available. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Returns `base` or, if this name is taken, `base` with `_` and the next number. */
  next(base: string): string {
    let name = base;
    let number = this.#numbers.get(base) ?? 1;
    while (this.#taken.has(name)) name = `${base}_${++number}`;
    this.#numbers.set(base, number);
    this.#taken.add(name);
    return name;
  }
}

/** Returns the position of the last call that sends the value of a ruling, or 0 if none does. */
function findLastUse({ replaced, others }: Ruling): number {
  let last = 0;
  for (const { call } of replaced) last = Math.max(last, call.order);
  for (const { usage } of others) last = Math.max(last, usage.call.order);
  return last;
}

const bareIds = new Map<string, boolean>();

/**
 * Reports whether a field's name, such as `id`, is a single word for an id and does not name a
 * resource. Caches the results, because names of fields often repeat in a recording.
 */
function isBareId(key: string): boolean {
  let isBare = bareIds.get(key);
  if (isBare === undefined) {
    isBare = nameHint(key).idLike && nameWords(key).length === 1 && resourceWords(key).length === 0;
    if (bareIds.size < 100_000) bareIds.set(key, isBare);
  }
  return isBare;
}

/**
 * Reports whether a name suggests a value that the server replaces from time to time, such as a
 * token, and not the id of a resource.
 */
function isRotating(name: string): boolean {
  return nameHint(name).token || !nameHint(name).idLike;
}

/**
 * Returns a name for the id of a resource, such as `article_id`. The resource's name comes from
 * the link that contains the id, the path of a request that sends it, the object that contains it,
 * or the call that returned it.
 */
function resourceName({ candidate, sent }: Ruling): string {
  const { key, collection = "", located, producer } = candidate;
  const inPath = sent.find(({ field }) => field.kind === "path");
  const word = resourceWords(collection).at(-1) ??
    (inPath && consumerWords(inPath).at(-1)) ??
    memberNames(located).slice(0, -1).flatMap(resourceWords).at(-1) ??
    callWords(producer).at(-1);
  return word === undefined ? key : `${word}_${key}`;
}
