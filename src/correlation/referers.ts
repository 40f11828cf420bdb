import { headersIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";
import type { Use } from "./pieces.ts";

/** A `Referer` header that repeats the URL of an earlier call, whose values it therefore contains. */
interface Repeated {
  readonly call: RecordedCall;
  readonly field: RequestField;
}

/** The `Referer` headers that repeat the URL of an earlier call. */
export class Referers {
  readonly #repeated = new Map<RecordedCall, Repeated[]>();
  readonly #fields = new Set<RequestField>();

  constructor(calls: readonly RecordedCall[]) {
    const byUrl = new Map<string, RecordedCall>();
    for (const call of calls) {
      const field = headersIn(call).find(({ name }) => name.toLowerCase() === "referer");
      const page = field && byUrl.get(field.value);
      if (page !== undefined) {
        this.#fields.add(field!);
        const known = this.#repeated.get(page);
        if (known === undefined) this.#repeated.set(page, [{ call, field: field! }]);
        else known.push({ call, field: field! });
      }
      byUrl.set(call.exchange.request.url.replace(/#.*$/s, ""), call);
    }
  }

  /** Reports whether a field repeats the URL of an earlier call. */
  has(field: RequestField): boolean {
    return this.#fields.has(field);
  }

  /** Returns the uses in `Referer` headers that repeat a use in a URL. */
  repeating(use: Use): Use[] {
    const repeated = use.field.kind === "path" || use.field.kind === "query"
      ? this.#repeated.get(use.call) ?? []
      : [];
    if (repeated.length === 0) return [];
    const { path, query } = use.call.url;
    const pieces = [...path, ...query];
    const textOf = (piece: string | RequestField) =>
      typeof piece === "string" ? piece : piece.recorded;
    const text = pieces.map(textOf).join("");
    const before = pieces.slice(0, pieces.indexOf(use.field)).map(textOf).join("").length;
    const [from, to] = use.field.recordedRange(use.start, use.end);
    return repeated.flatMap(({ call, field }): Use[] => {
      if (!field.value.endsWith(text)) return [];
      const offset = field.value.length - text.length + before;
      return [{ ...use, call, field, start: offset + from, end: offset + to, fills: "part" }];
    });
  }
}
