import type { NamelessExtractor } from "../extract/extractors.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import { isShortNumber, nameHint, nameWords } from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { Assignment, DecisionKind, KeptUse } from "./assign.ts";
import { isInPath, nameOf, type Use } from "./pieces.ts";
import type { Evidence } from "./prior.ts";
import { callWords, consumerWords, nameBefore } from "./request_words.ts";
import { isName, resourceWords } from "./words.ts";

/** Where a response contains a value, and an extractor that returns it. */
export interface Candidate {
  readonly key: string;
  readonly numeric: boolean;
  readonly producer: RecordedCall;
  readonly located: NamelessExtractor;
}

/** The decision on a value of the recording. */
export interface Decision {
  readonly value: string;
  readonly kind: DecisionKind | "not sent" | "outweighed" | "no source";
  /** Absent if no response contains the value. */
  readonly candidate?: Candidate;
  /** Reads the value into a variable. Absent if the plan does not need one. */
  readonly extractor?: Extractor;
  /** Uses in requests that the plan replaces, or could replace, with the variable. */
  readonly sent: readonly Use[];
  readonly left: readonly KeptUse[];
  readonly because: readonly Evidence[];
}

/** A value that an extractor reads from a response into a variable. */
export type Variable = Decision & Required<Pick<Decision, "candidate" | "extractor">>;

/** Makes names unique by appending numbers, in constant time per name. */
export class UniqueNames {
  readonly #taken: Set<string>;
  readonly #numbers = new Map<string, number>();

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

/** Returns the name of an id that consists of words, such as `session_id`. */
export function idName(words: readonly string[]): string {
  return words.join("_").replace(/[^a-z0-9_]/g, "").replace(/^[\d_]+|_+$/g, "") || "id";
}

export class VariableNames {
  readonly #names = new UniqueNames(RESERVED);

  /**
   * Returns the name of the variable for each assignment. The assignments must be sorted by the
   * order of the calls whose responses contain their values. A name is based on the name of the
   * value in the response. If several are called `id`, or a link contains the value, it is based on
   * the resource (`article_id`). A value that rotates, such as a token that each response replaces,
   * keeps one variable: its name is reused if no later request uses the previous value.
   */
  nameAll(assignments: readonly Assignment[]): string[] {
    const ids = assignments.filter(({ source }) => isBareId(source.key)).length;
    const current = new Map<string, { name: string; lastUse: number }[]>();
    return assignments.map((assignment) => {
      const { source } = assignment;
      const base = baseName(assignment, ids > 1);
      if (!isRotating(base)) return this.#next(base);
      const lastUse = lastUseOf(assignment);
      const known = current.get(base.toLowerCase()) ?? [];
      current.set(base.toLowerCase(), known);
      const free = known.find((one) => one.lastUse <= source.call.order);
      if (free === undefined) known.push({ name: this.#next(base), lastUse });
      else free.lastUse = lastUse;
      return (free ?? known.at(-1)!).name;
    });
  }

  /**
   * Returns a unique variable name based on `key`: in lower case, with `_` in place of all
   * characters except ASCII letters, digits and `_`.
   */
  #next(key: string): string {
    const bare = key.toLowerCase().replace(/[^a-z0-9_]+$/, "").replace(/[^a-z0-9_]/g, "_") ||
      "value";
    return this.#names.next(/^\d/.test(bare) ? "_" + bare : bare);
  }
}

/**
 * Returns the name on which that of a variable is based. `isAmbiguous` means that several values
 * are called `id`.
 */
function baseName(assignment: Assignment, isAmbiguous: boolean): string {
  const { value, source: { key, collection, isWhole, call } } = assignment;
  const operation = callWords(call).at(-1);
  if (GENERIC.test(key)) {
    const isResult = isWhole && isShortNumber(value) && operation !== undefined;
    return isResult ? `${operation}_id` : nameOfUse(assignment) || key;
  }
  const byResource = isBareId(key) && (isAmbiguous || collection !== "" && isShortNumber(value));
  return byResource ? resourceName(assignment) : key;
}

function resourceBefore(use: Use): string | undefined {
  return isName(nameBefore(use)) ? consumerWords(use).at(-1) : undefined;
}

/**
 * Returns a name for a value that the response does not name: the kind of object that a script
 * names before it, or where requests send it.
 */
function nameOfUse({ source, uses: [use] }: Assignment): string {
  const { view, start } = source.occurrence;
  const object = QUOTED_AFTER.exec(view.text.slice(Math.max(0, start - 60), start))?.[1];
  if (object !== undefined) return `${object}_id`;
  if (use === undefined) return "";
  if (use.field.kind === "name") return use.field.value.slice(0, use.start).replace(/\W+$/, "");
  const name = nameOf(use);
  if (name !== "" || !isInPath(use)) {
    const { field } = use;
    return name || (field instanceof Base64Field ? field.outer.name : field.kind);
  }
  const word = resourceBefore(use);
  return word === undefined ? source.key || "id" : `${word}_id`;
}

const GENERIC = /^(?:results?|data|response|payload|values?)?$/;

/** Matches a word and the quotation mark before a value in a script. */
const QUOTED_AFTER = /(?<![A-Za-z])([A-Z]?[a-z]+)[^\w=/>]*["'](?:\\)?$/;

/** Returns the position of the last call that sends a value, or 0 if none does. */
function lastUseOf({ uses, kept }: Assignment): number {
  return Math.max(0, ...uses.map(({ call }) => call.order), ...kept.map(({ call }) => call.order));
}

/** Reports whether a name, such as `id`, is a single word for an id and names no resource. */
function isBareId(key: string): boolean {
  return nameHint(key).idLike && nameWords(key).length === 1 && resourceWords(key).length === 0;
}

/** Reports whether a name suggests a value that the server replaces from time to time. */
function isRotating(name: string): boolean {
  return nameHint(name).token || !nameHint(name).idLike;
}

/**
 * Returns a name for the id of a resource, such as `article_id`. The resource's name comes from the
 * link that contains the id, the path of a request that sends it, the object that contains it, or
 * the call that returned it.
 */
function resourceName({ source, uses }: Assignment): string {
  const { key, collection, path, call } = source;
  const inPath = uses.find(({ field }) => field.kind === "path");
  const word = (isName(collection) ? resourceWords(collection).at(-1) : undefined) ??
    (inPath && resourceBefore(inPath)) ??
    path.slice(0, -1).flatMap(resourceWords).at(-1) ??
    callWords(call).at(-1);
  return word === undefined ? key : `${word}_${key}`;
}
