import { parseExactJson } from "../../../src/base/exact_json.ts";
import { parseYaml } from "../../../src/base/yaml.ts";
import type { Exchange, NameValue, RequestBody } from "../../../src/traffic/har/exchange.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import type { Source } from "../../../src/convert/correlate/candidate.ts";

/** One call of a case, as `testdata/har/cases/*.yaml` writes it. */
export interface CaseCall {
  /** `METHOD /path`, or with an absolute URL. */
  readonly request: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly multipart?: Record<string, string>;
  /** Text; what calls itself JSON is read as JSON. */
  readonly body?: string;
  readonly type_sent?: string;
  /** When it started and ended, in ms; one after the other when absent. */
  readonly at?: readonly [number, number];
  readonly status?: number;
  /** The answer's body as JSON, or as text. */
  readonly answer?: unknown;
  readonly text?: string;
  readonly type?: string;
  readonly answered?: Record<string, string>;
}

/** A rule of correlation, by example. */
export interface RecordedCase {
  readonly case: string;
  readonly calls: readonly CaseCall[];
  readonly correlate?: readonly Exclude<Source, "json">[];
  /** Every extractor of the plan: `call path-or-type transforms`. */
  readonly variables?: Record<string, string>;
  /** Extractors that notes must offer. */
  readonly offers?: Record<string, Record<string, unknown>>;
  /** Parts of the plan's requests, by call. */
  readonly sends?: Record<string, unknown>;
  /** Codes of notes that must be there. */
  readonly notes?: readonly string[];
}

const CASES = new URL("../../../testdata/har/cases/", import.meta.url);

/** The cases of a file in testdata/har/cases. */
export function readCases(file: string): RecordedCase[] {
  return parseYaml(Deno.readTextFileSync(new URL(file, CASES))) as RecordedCase[];
}

/** A recording of calls. */
export function recordingOf(calls: readonly CaseCall[]): Recording {
  return recordingWith(calls.map(exchangeOf));
}

/** A recording of exchanges. */
export function recordingWith(exchanges: readonly Exchange[]): Recording {
  return {
    exchanges,
    skipped: [],
    pages: new Map(),
    creator: "",
    browser: "",
    hasCredentials: true,
    hasBodies: true,
  };
}

function exchangeOf(call: CaseCall, index: number): Exchange {
  const [method, target] = call.request.split(/ (.*)/, 2);
  const [startedAt, endedAt] = call.at ?? [index * 1_000, index * 1_000 + 100];
  const text = call.text ?? (call.answer === undefined ? undefined : JSON.stringify(call.answer));
  return {
    index,
    page: undefined,
    startedAt,
    endedAt,
    request: {
      method,
      url: target.startsWith("/") ? `https://app.example${target}` : target,
      headers: fields(call.headers),
      body: bodyOf(call),
    },
    response: {
      status: call.status ?? 200,
      headers: fields(call.answered),
      mimeType: call.type ?? (call.answer === undefined ? "" : "application/json"),
      text,
      size: text?.length ?? 0,
    },
  };
}

function fields(map: Record<string, string> = {}): NameValue[] {
  return Object.entries(map).map(([name, value]) => ({ name, value }));
}

function bodyOf(
  { json, form, multipart, body, type_sent = "text/plain" }: CaseCall,
): RequestBody | undefined {
  if (json !== undefined) {
    return {
      kind: "json",
      value: json,
      text: JSON.stringify(json),
      contentType: "application/json",
    };
  }
  if (form) {
    return { kind: "form", fields: fields(form), contentType: "application/x-www-form-urlencoded" };
  }
  if (multipart) {
    return {
      kind: "multipart",
      parts: fields(multipart),
      contentType: "multipart/form-data; boundary=x",
    };
  }
  if (body === undefined) return undefined;
  return type_sent === "application/json"
    ? { kind: "json", value: parseExactJson(body), text: body, contentType: type_sent }
    : { kind: "text", text: body, contentType: type_sent };
}
