import type { ResponseView } from "../../../extract/response_view.ts";
import type { ScannedLeaf } from "../../../traffic/har/scan/leaf_reader.ts";

/**
 * The part of a JSON response that consists of one leaf and the objects and lists around it. From
 * this part, a `jsonpath` extractor with the path of the leaf returns the same value as from the
 * whole response, without parsing the whole response.
 */
export class LeafPart implements ResponseView {
  readonly #leaf: ScannedLeaf;
  readonly headers: ResponseView["headers"] = [];

  constructor(leaf: ScannedLeaf) {
    this.#leaf = leaf;
  }

  get text(): string {
    return this.#leaf.text;
  }

  get json(): unknown {
    const { text, isNumber } = this.#leaf;
    return this.#around(isNumber ? Number(text) : text);
  }

  get jsonSource(): unknown {
    return this.#around(this.#leaf.text);
  }

  html<Document>(): Document {
    throw new Error("cannot parse a value in a JSON response as HTML");
  }

  storedCookie(): undefined {
    return undefined;
  }

  #around(value: unknown): unknown {
    return this.#leaf.path.reduceRight<unknown>((inner, step) => {
      if (typeof step === "string") return { [step]: inner };
      const list: unknown[] = [];
      list[step] = inner;
      return list;
    }, value);
  }
}
