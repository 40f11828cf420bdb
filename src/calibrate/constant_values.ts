import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { generatedValues } from "../verify/generated_values.ts";
import { ValueFinder } from "../verify/fresh_values.ts";
import type { PlanDraft } from "./draft.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/**
 * Finds literals of a plan that look generated but are constants of the application. If the
 * recorded response to a call contains a constant, all live responses to that call also contain it.
 */
export class ConstantValues {
  readonly #draft: PlanDraft;
  readonly #finder = new ValueFinder();
  /** Literals of the plan that each recorded response contains, by index of its request. */
  readonly #recorded = new Map<number, ReadonlySet<string>>();
  readonly #equal = new Set<string>();
  readonly #changed = new Set<string>();

  constructor(draft: PlanDraft) {
    this.#draft = draft;
    for (let index = 0; index < draft.size; index++) {
      for (const value of literalsIn(draft.at(index))) this.#finder.add(value);
    }
  }

  /** Compares a live response to the request `index` with the recorded one. */
  observe(index: number, recorded: ResponseSnapshot, live: ResponseSnapshot): void {
    let values = this.#recorded.get(index);
    if (values === undefined) this.#recorded.set(index, values = this.#valuesIn(recorded));
    if (values.size === 0) return;
    const found = this.#valuesIn(live);
    for (const value of values) (found.has(value) ? this.#equal : this.#changed).add(value);
  }

  /** Returns the constants that the plan sends, in the order of its requests. */
  list(): string[] {
    const sent = new Set<string>();
    for (let index = 0; index < this.#draft.size; index++) {
      for (const value of literalsIn(this.#draft.at(index))) {
        if (this.#equal.has(value) && !this.#changed.has(value)) sent.add(value);
      }
    }
    return [...sent];
  }

  #valuesIn({ headers, text = "" }: ResponseSnapshot): ReadonlySet<string> {
    const texts = [...headers.map(({ value }) => value), text];
    return new Set(texts.flatMap((one) => this.#finder.find(one).map(({ value }) => value)));
  }
}

/** Returns the parts of a request's strings that look generated and contain no expression. */
function literalsIn(request: Request): string[] {
  return requestTexts(request).flatMap(({ template }) =>
    parseTemplate(template).flatMap((part) =>
      part.kind === "text" ? generatedValues(part.text).map(({ value }) => value) : []
    )
  );
}
