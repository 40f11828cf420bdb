import { parseExactJson } from "../../base/exact_number.ts";
import { random } from "../../base/random.ts";
import { compileExtractor } from "../../extract/extractors.ts";
import { parseJson, type ResponseView } from "../../extract/response_view.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import type { RecordedResponse } from "../har/recording.ts";

const RANDOM = random(1);

/** A response that was received before, and that extractors can read like a live response. */
export class RecordedView implements ResponseView {
  readonly #response: Pick<RecordedResponse, "headers" | "text" | "payload">;
  readonly storedCookie: ResponseView["storedCookie"];
  #headers: ResponseView["headers"] | undefined;
  /** `value` is undefined if the body is not JSON. */
  #json: { readonly value: unknown } | undefined;
  #exactJson: unknown;
  #html: unknown;

  constructor(
    response: Pick<RecordedResponse, "headers" | "text" | "payload">,
    storedCookie: ResponseView["storedCookie"] = () => undefined,
  ) {
    this.#response = response;
    this.storedCookie = storedCookie;
  }

  /** Body without its byte order mark, which the decoder also removes during a run. */
  get text(): string {
    return this.#response.text?.replace(/^\ufeff/, "") ?? "";
  }

  get headers(): ResponseView["headers"] {
    return this.#headers ??= this.#response.headers.flatMap(({ name, value }) => {
      const key = name.toLowerCase();
      // Some recorders join several `Set-Cookie` headers with line breaks.
      const values = key === "set-cookie" ? value.split("\n") : [value];
      return values.map((header) => [key, header] as const);
    });
  }

  get json(): unknown {
    return (this.#json ??= { value: parseJson(this.#jsonText()) }).value;
  }

  get exactJson(): unknown {
    return this.#exactJson ??= parseExactJson(this.#jsonText());
  }

  html<Document>(parse: (text: string) => Document): Document {
    return (this.#html ??= parse(this.text)) as Document;
  }

  #jsonText(): string {
    return this.#response.payload ?? this.text;
  }
}

/**
 * Returns a test of a condition on the data of an event. Undefined for conditions with variables,
 * or of kinds that `convert` does not write. `jsonOf` returns the JSON in the data.
 */
export function eventTest(
  condition: Condition,
  jsonOf: (data: string) => string = (data) => data,
): ((data: string) => boolean) | undefined {
  const { type, name: _, ...keys } = condition;
  const isOnly = (...known: string[]) => Object.keys(keys).every((key) => known.includes(key));
  if (type === "body_contains") {
    const text = fixedText(condition.value);
    return text === undefined || !isOnly("value") ? undefined : (data) => data.includes(text);
  }
  if (type === "body_matches" && isOnly("pattern")) {
    const pattern = new RegExp(condition.pattern);
    return (data) => pattern.test(data);
  }
  if (type !== "jsonpath" || !isOnly("expression", "equals", "exists")) return undefined;
  const { expression, equals, exists } = condition;
  const isFixed = typeof equals !== "object" &&
    (typeof equals !== "string" || fixedText(equals) === equals);
  if (!isFixed || exists === false) return undefined;
  const { take } = compileExtractor({ type: "jsonpath", expression });
  return (data) => {
    try {
      const view = new RecordedView({ headers: [], text: data, payload: jsonOf(data) });
      const value = take(view, RANDOM);
      return value !== undefined && (equals === undefined || value === equals);
    } catch {
      return false; // An event may not be JSON.
    }
  };
}

function fixedText(template: string): string | undefined {
  const parts = parseTemplate(template);
  return parts.every(({ kind }) => kind === "text")
    ? parts.map((part) => part.kind === "text" ? part.text : "").join("")
    : undefined;
}
