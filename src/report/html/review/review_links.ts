import { type Markup, markup } from "../markup.ts";
import type { Review, ReviewPlace, ReviewValue } from "./review.ts";
import { code } from "./shown_text.ts";

/** Links between the calls and the values on a review page. */
export class ReviewLinks {
  /** Index of each call, keyed by its name. */
  readonly #calls: ReadonlyMap<string, number>;
  /** Index of each value. */
  readonly #values: ReadonlyMap<ReviewValue, number>;
  readonly #sentBy: ReadonlyMap<string, ReadonlySet<ReviewValue>>;
  readonly #returnedBy: ReadonlyMap<string, ReadonlySet<ReviewValue>>;

  constructor({ calls, values }: Pick<Review, "calls" | "values">) {
    this.#calls = new Map(calls.map(({ name }, i) => [name, i]));
    this.#values = new Map(values.map((value, i) => [value, i]));
    this.#sentBy = byCall(values, ({ to }) => to);
    this.#returnedBy = byCall(values, ({ from }) => from === undefined ? [] : [from]);
  }

  /** Returns the `id` attribute of a call's row. */
  callId(name: string): string {
    return `call-${this.#calls.get(name)! + 1}`;
  }

  /** Returns the `id` attribute of a value's row. */
  valueId(value: ReviewValue): string {
    return `value-${this.#values.get(value)! + 1}`;
  }

  /** Formats the name of a call, with a link to its row if it has one. */
  call(name: string): Markup {
    return this.#calls.has(name)
      ? markup`<a href="#${this.callId(name)}">${code(name, 100)}</a>`
      : code(name);
  }

  /** Formats the location of a value, with a link to its call. */
  place({ call, place }: ReviewPlace): Markup {
    return place === undefined
      ? this.call(call)
      : markup`${code(place, 160)} of ${this.call(call)}`;
  }

  /** Returns a list of links to the values that a call sends. */
  sent(call: string): Markup | undefined {
    return this.#list(this.#sentBy.get(call));
  }

  /** Returns a list of links to the values that the response to a call contains. */
  returned(call: string): Markup | undefined {
    return this.#list(this.#returnedBy.get(call));
  }

  #list(values: ReadonlySet<ReviewValue> | undefined): Markup | undefined {
    if (values === undefined) return undefined;
    const links = [...values].map((value, i) =>
      markup`${i === 0 ? "" : ", "}<a href="#${this.valueId(value)}">${
        code(value.variable ?? value.recorded ?? "value", 24)
      }</a>`
    );
    return markup`${links}`;
  }
}

function byCall(
  values: readonly ReviewValue[],
  placesOf: (value: ReviewValue) => readonly ReviewPlace[],
): Map<string, Set<ReviewValue>> {
  const found = new Map<string, Set<ReviewValue>>();
  for (const value of values) {
    for (const { call } of placesOf(value)) {
      const known = found.get(call);
      if (known === undefined) found.set(call, new Set([value]));
      else known.add(value);
    }
  }
  return found;
}
