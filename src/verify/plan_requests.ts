import { ExactNumber } from "../base/exact_number.ts";
import {
  isCallOf,
  readVariables,
  subexpressions,
  wrappedVariable,
} from "../plan/expressions/expression.ts";
import { listSteps, recordedEntries } from "../plan/kinds/list_requests.ts";
import { type Request, requestName, socketName } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { requestTexts } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { parseTemplate, type TemplatePart } from "../plan/text/template.ts";
import { isText } from "../traffic/har/media_type.ts";
import { closingQuote } from "../traffic/har/json_text.ts";
import { mapLeaves } from "../traffic/session/body_fields.ts";
import { percentDecodedText } from "../traffic/session/call_url.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { RequestField } from "../traffic/session/request_field.ts";
import { generatedValues } from "./generated_values.ts";

type SocketStep = NonNullable<Step["websocket"]>;

/** What `verify` needs of a request, or of a `websocket` step and its messages. */
export interface PlanRequest {
  readonly name: string;
  /** HAR entries from 1: several if a step repeats it, none without a tag. */
  readonly entries: readonly number[];
  /** Values in its extractors and conditions that a server could have generated. */
  readonly expected: ReadonlySet<string>;
  /** Whether the request contains `text` as a literal, so that no variable provides it. */
  isLiteral(text: string): boolean;
  /** Number of literal values, path segments and parameters that consist of `text`. */
  wholeLiterals(text: string): number;
  uses(variable: string): boolean;
}

/** Name of the header with which a marked plan identifies the request and the iteration. */
export const MARK = "x-rehearse-mark";

export interface MarkedPlan {
  /** Each request has a header `MARK`: its index in `requests`, and the iteration. */
  readonly plan: Plan;
  readonly requests: readonly PlanRequest[];
}

/** Marks the requests of a copy of `plan`, so that a mock server recognizes them. */
export function markRequests(plan: Plan): MarkedPlan {
  // Not `structuredClone`, which would lose the class of `ExactNumber`.
  const marked = mapLeaves(plan, (leaf) => leaf) as Plan;
  const shared = [
    ...literals(plan.defaults?.http?.headers),
    ...literals(plan.defaults?.http?.base_url),
  ];
  const requests: PlanRequest[] = [];
  const seen = new Set<Request | SocketStep>();
  for (const { flow } of Object.values(marked.scenarios)) {
    for (const { request, websocket } of listSteps(flow)) {
      const opener = request ?? websocket;
      if (opener === undefined || seen.has(opener)) continue;
      seen.add(opener);
      requests.push(
        request ? describeRequest(request, shared) : describeSocket(websocket!, shared),
      );
      opener.headers = { ...opener.headers, [MARK]: `${requests.length - 1} \${iteration}` };
    }
  }
  return { plan: marked, requests };
}

/** Returns the values in a plan's requests that a server could have generated. */
export function valuesInPlan({ scenarios, defaults }: Plan): string[] {
  const sent = Object.values(scenarios).flatMap(({ flow }) =>
    [...listSteps(flow)].map(({ request, websocket, send }) =>
      request ?? send ?? (websocket && [websocket.url, websocket.headers])
    )
  );
  return literals([sent, defaults?.http?.headers])
    .flatMap((text) => generatedValues(text).map(({ value }) => value));
}

/** The request also sends the literals `shared` and, for a WebSocket, `messages`. */
export function describeRequest(
  request: Request,
  shared: readonly string[] = [],
  messages: readonly unknown[] = [],
): PlanRequest {
  const { url, params, headers, body, extract, checks } = request;
  const templates = strings([url, params, headers, body, messages]);
  const parts = templates.flatMap(partsOf);
  const texts = [
    ...parts.flatMap(literalStrings),
    ...templates.map(textOf).flatMap(jsonTokens),
    ...shared,
  ];
  const text = texts.join("\n");
  const values = new Set(generatedValues(text).map(({ value }) => value));
  const wholes = new Map<string, number>();
  for (const literal of texts) {
    const pieces = literal.split(/[/?&;=#]/).map(decoded);
    for (
      const piece of pieces.length === 1 && pieces[0] === literal ? pieces : [literal, ...pieces]
    ) {
      wholes.set(piece, (wholes.get(piece) ?? 0) + 1);
    }
  }
  const used = new Set(parts.flatMap(readVariables));
  const isOpaque = typeof body === "object" && body !== null && "file" in body;
  return {
    name: requestName(request),
    entries: recordedEntries(request),
    expected: new Set(literals([extract, request.assert, checks]).flatMap(valuesInExpression)),
    isLiteral: (sent) => isOpaque || values.has(sent) || wholes.has(sent) || text.includes(sent),
    wholeLiterals: (sent) => isOpaque ? Infinity : wholes.get(sent) ?? 0,
    uses: (variable) => used.has(variable),
  };
}

function describeSocket(step: SocketStep, shared: readonly string[]): PlanRequest {
  const { url, headers, subprotocols, steps, tags } = step;
  const nested = [...listSteps(steps)];
  const expects = nested.map(({ expect }) => expect);
  const messages = [subprotocols, ...nested.map(({ send }) => send)];
  const described = describeRequest({ url, headers, tags }, shared, messages);
  return {
    ...described,
    name: socketName(step),
    expected: new Set(literals(expects).flatMap(valuesInExpression)),
  };
}

const COMPARED = /=\s*\\?["']?([\w.~@+-]{1,64})/g;

function valuesInExpression(expression: string): string[] {
  return [
    ...generatedValues(expression).map(({ value }) => value),
    ...[...expression.matchAll(COMPARED)].map(([, value]) => value),
  ];
}

function decoded(text: string): string {
  return percentDecodedText(text, false);
}

/** Returns the strings, names of members, and scalars in a part of a plan. */
function strings(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [`${value}`];
  if (value instanceof ExactNumber) return [value.text];
  if (Array.isArray(value)) return value.flatMap(strings);
  return Object.entries(value).flatMap(([name, member]) => [name, ...strings(member)]);
}

function literals(value: unknown): string[] {
  return strings(value).flatMap(partsOf).flatMap(literalStrings);
}

/** Lists the literal strings in a part of a template, except the names of UUIDs. */
function literalStrings(part: TemplatePart): string[] {
  if (part.kind === "text") return [part.text];
  if (part.kind === "literal") return typeof part.value === "string" ? [part.value] : [];
  return isCallOf("uuid", part) ? [] : subexpressions(part).flatMap(literalStrings);
}

const EXPRESSION = "\uE000";
const NUMBER = /(?<![\w.\uE000-])-?\d[\d.eE+-]*(?![\w.\uE000])/g;

function partsOf(template: string): TemplatePart[] {
  try {
    return parseTemplate(template);
  } catch {
    return [{ kind: "text", text: template }];
  }
}

function textOf(template: string): string {
  return partsOf(template).map((part) => part.kind === "text" ? part.text : EXPRESSION).join("");
}

function jsonTokens(text: string): string[] {
  if (!/[[{]/.test(text)) return [];
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : closingQuote(text, quote + 1);
    const isUnclosed = end === text.length;
    const between = text.slice(at, isUnclosed ? end : quote);
    for (const [number] of between.matchAll(NUMBER)) tokens.push(number);
    if (isUnclosed) break;
    const inner = unescaped(text.slice(quote + 1, end));
    for (const part of inner.split(EXPRESSION)) if (part !== "") tokens.push(part);
    for (const token of jsonTokens(inner)) tokens.push(token);
    at = end + 1;
  }
  return tokens;
}

function unescaped(content: string): string {
  if (!content.includes("\\")) return content;
  try {
    return JSON.parse(`"${content}"`);
  } catch {
    return content;
  }
}

const OF_HEADERS: ReadonlySet<string> = new Set(["header", "cookie"]);

/** Reports whether the recording lacks the text of a response that had one. */
export function lacksText({ request, response }: RecordedCall["exchange"]): boolean {
  const { status, text, mimeType, size, unrecorded } = response;
  if (text !== undefined || request.method.toUpperCase() === "HEAD") return false;
  if (unrecorded || status === 0) return true;
  return status >= 200 && status < 300 && status !== 204 && status !== 205 && size > 0 &&
    (mimeType === "" || isText(mimeType));
}

/** Gives extractors of lost bodies defaults: what recorded requests send. Changes `plan`. */
export function restoreLostValues(
  plan: Plan,
  byEntry: ReadonlyMap<number, RecordedCall>,
): void {
  const callsOf = (request: Request) =>
    recordedEntries(request).flatMap((entry) => byEntry.get(entry) ?? []);
  for (const { flow } of Object.values(plan.scenarios)) {
    const requests = [...listSteps(flow)].flatMap(({ request }) => request ?? []);
    for (const [i, request] of requests.entries()) {
      const own = callsOf(request);
      if (own.length === 0 || !own.every(({ exchange }) => lacksText(exchange))) continue;
      for (const extractor of request.extract ?? []) {
        if (OF_HEADERS.has(extractor.type)) continue;
        extractor.default ??= requests.slice(i + 1).values()
          .flatMap((later) =>
            callsOf(later).map((call) => valueSentAs(extractor.name, later, call))
          )
          .find((value) => value !== undefined);
      }
    }
  }
}

/** Returns what is sent where the plan sends only a variable. */
function valueSentAs(
  variable: string,
  request: Request,
  { url, fields }: RecordedCall,
): string | number | undefined {
  const texts = requestTexts(request);
  const inPath = texts.filter(({ kind }) => kind === "path");
  const segments = url.path.filter((piece) => piece instanceof RequestField);
  const [field] = texts.filter(({ template }) => {
    const [part, ...more] = partsOf(template);
    return part !== undefined && more.length === 0 && wrappedVariable(part) === variable;
  }).flatMap((text) =>
    (text.kind === "path"
      ? segments[inPath.indexOf(text)]
      : fields.find(({ kind, name }) => kind === text.kind && name === text.name)) ?? []
  );
  return field?.numeric ? Number(field.value) : field?.value;
}

/** Placeholder for secrets: verification neither needs nor prints real ones. */
export const SECRET = "rehearse-secret";
