import type { KnownPairs } from "../../correlation/known_pairs.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { call, type Expression, isCallOf } from "../../plan/expressions/expression.ts";
import { formatExpression, joinTemplate } from "../../plan/text/template.ts";
import { holdsLiteral, replaceLiteral } from "../literal_edit.ts";
import type { PlanDraft } from "../plan_draft.ts";
import type { RecordedSide, RecordedStep } from "../recorded_side.ts";
import { differingFields } from "../sent_pairs.ts";
import { makeUnique } from "../unique_texts.ts";
import type { ExtractedRepair } from "../repair.ts";
import { requestTexts } from "../../plan/request_texts.ts";
import type { ResponseSources } from "./response_sources.ts";
import type { AgainClientValue } from "./again_report.ts";
import { ClientExpressions, type ClientValue, clientValues } from "./client_values.ts";
import { findPkcePairs } from "./pkce_pairs.ts";

const IN_BODY: ReadonlySet<RequestField["kind"]> = new Set(["json", "form", "multipart"]);

/** Minimum length, in UTF-16 code units, of values that are searched for within longer strings. */
const SHORTEST_WITHIN = 4;

/** Finds the values that occur only in requests, and makes the plan generate new ones. */
export class ClientRepairs {
  readonly replaced: AgainClientValue[] = [];
  readonly unexplained: { readonly index: number; readonly field: string }[] = [];
  /**
   * Extractors that were added to the plan, because requests send values from earlier responses.
   */
  readonly repairs: ExtractedRepair[] = [];
  readonly #sources: ResponseSources;
  readonly #draft: PlanDraft;
  readonly #recorded: RecordedSide;
  readonly #known: KnownPairs;
  readonly #expressions: ClientExpressions;

  constructor(
    draft: PlanDraft,
    recorded: RecordedSide,
    known: KnownPairs,
    sources: ResponseSources,
  ) {
    this.#sources = sources;
    this.#expressions = new ClientExpressions(uuidNames(draft));
    this.#draft = draft;
    this.#recorded = recorded;
    this.#known = known;
  }

  /** Replaces the PKCE pairs of the first recording. Recognizes them by their hash. */
  replacePkce(): void {
    const calls = Array.from({ length: this.#draft.size }, (_, i) => this.#recorded.at(i)?.call)
      .filter((call) => call !== undefined);
    for (const { verifier, challenge } of findPkcePairs(calls)) {
      this.#replace(verifier, call("pkce_verifier"), "code_verifier");
      this.#replace(challenge, call("pkce_challenge"), "code_challenge");
    }
  }

  /**
   * Compares a request with the same request in the second recording. In the plan, replaces values
   * that the client generated. Adds all values that differ between the recordings to the known
   * pairs of recorded and live values. Echoes of these values in responses then do not count as
   * differences.
   */
  compare(index: number, step: RecordedStep, live: RecordedStep): void {
    for (const { field, live: liveValue } of differingFields(step.call, live.call)) {
      const { value } = field;
      if (this.#known.toLive(value) === liveValue) continue;
      const found = clientValues({
        name: field.name,
        value,
        live: liveValue,
        isBodyText: IN_BODY.has(field.kind) && !field.numeric,
        sentAt: step.exchange.startedAt,
        liveSentAt: live.exchange.startedAt,
      });
      const isReplaced = found.filter((one) => this.#replaceClientValue(index, one, field));
      if (isReplaced.length === 0 && this.#sends(index, field)) {
        const repairs = this.#sources.extract(field, liveValue);
        this.repairs.push(...repairs);
      }
      if (isReplaced.length === 0 && this.#sends(index, field)) {
        this.unexplained.push({ index, field: field.name || field.kind });
      }
      this.#known.add(value, liveValue);
    }
  }

  #replaceClientValue(index: number, value: ClientValue, field: RequestField): boolean {
    const { kind, text, live } = value;
    if (!this.#holds(index, text) || this.#recorded.isReceivedBefore(index, text)) return false;
    // A time that two requests send is an identifier, and two calls of a function would return
    // different times.
    if (kind === "now" && this.#draft.isSentAfter(index, literalOf(text))) return false;
    // A function that returns a number would change the type of a JSON string.
    if (kind === "now" && field.kind === "json" && !field.numeric && field.value === text) {
      return false;
    }
    const { expression, after } = this.#expressions.for(value, field.name);
    if (kind === "unique") {
      const unique = { text, expression, before: value.before, after };
      this.#draft.edit(index, (request) => makeUnique(request, unique));
      this.#report(index, field.name, value.before, expression, after);
    } else this.#replace(text, expression, field.name);
    this.#known.add(text, live);
    return true;
  }

  /** Reports whether the plan still sends the recorded value of a field. */
  #sends(index: number, { kind, name, value }: RequestField): boolean {
    return requestTexts(this.#draft.at(index)).some((text) =>
      (kind === "path" ? text.kind === "path" : text.name === name || name === "") &&
      text.template === value
    ) || (value.length >= SHORTEST_WITHIN && this.#holds(index, value));
  }

  #holds(index: number, value: string): boolean {
    return holdsLiteral(this.#draft.at(index), literalOf(value));
  }

  /** Replaces a literal with an expression in all requests. */
  #replace(text: string, expression: Expression, field: string): void {
    const literal = literalOf(text);
    const first = Array.from({ length: this.#draft.size }, (_, i) => i)
      .find((i) => holdsLiteral(this.#draft.at(i), literal));
    if (first === undefined) return;
    const written = { expression, encoded: undefined, numeric: isCallOf("now", expression) };
    this.#draft.editAll((request) => replaceLiteral(request, literal, written));
    this.replaced.push({ index: first, field, template: formatExpression(expression) });
  }

  #report(
    index: number,
    field: string,
    before: string,
    expression: Expression,
    after: string,
  ): void {
    const text = (part: string) => ({ kind: "text", text: part }) as const;
    const template = joinTemplate([text(before), expression, text(after)])!;
    this.replaced.push({ index, field, template });
  }
}

function literalOf(value: string) {
  return { value, agrees: undefined };
}

/**
 * Returns the names of the UUIDs that a plan generates, such as `draft_id` for `${uuid(draft_id)}`.
 */
function uuidNames(draft: PlanDraft): string[] {
  const texts = Array.from({ length: draft.size }, (_, i) => requestTexts(draft.at(i))).flat();
  return texts.flatMap(({ template }) => [...template.matchAll(/uuid\((\w+)\)/g)])
    .map(([, name]) => name);
}
