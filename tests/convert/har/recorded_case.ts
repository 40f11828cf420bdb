import { parseExactJson } from "../../../src/base/exact_number.ts";
import { parseYaml } from "../../../src/base/yaml.ts";
import { encodeForm } from "../../../src/http/encode_body.ts";
import type {
  Exchange,
  NameValue,
  RecordedMessage,
  Recording,
  RequestBody,
} from "../../../src/traffic/har/recording.ts";
import type { MessageLine } from "../../builders/socket_recording.ts";

/** One call of a case in `testdata/har/cases/*.yaml`. */
export interface CaseCall {
  /**
   * Request line: `METHOD /path`, or `METHOD` and an absolute URL. The method `WS` opens a
   * WebSocket.
   */
  readonly request: string;
  /**
   * WebSocket messages, keyed by their time in milliseconds: `>` and the sent text, or `<` and the
   * received text.
   */
  readonly messages?: Readonly<Record<number, MessageLine>>;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly multipart?: Record<string, string>;
  /** Name of the file in the multipart body. */
  readonly filename?: string;
  /** Body as text. Read as JSON or a form if `type_sent` is its media type. */
  readonly body?: string;
  readonly type_sent?: string;
  /**
   * Start and end time in milliseconds. When absent, the call starts after the previous one ends.
   */
  readonly at?: readonly [number, number];
  readonly status?: number;
  /** JSON body of the response. If the body is not JSON, use `text` instead. */
  readonly response?: unknown;
  readonly text?: string;
  readonly type?: string;
  readonly response_headers?: Record<string, string>;
  /** True if a script of the page sent the request. */
  readonly by_script?: true;
}

/** Options of the conversion. */
export interface CaseOptions {
  readonly keep_static?: boolean;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly checks?: "status" | "response";
  readonly parallel?: boolean;
  readonly think_time?: boolean;
  /** Longest pause in milliseconds. */
  readonly max_think?: number;
  readonly origins?: readonly string[];
  readonly secrets?: boolean;
}

/** A correlation rule, an example of it, and the expected results. */
export interface RecordedCase {
  readonly case: string;
  readonly calls: readonly CaseCall[];
  /** Value of `--correlate`; `json` when absent. */
  readonly correlate?: "all";
  readonly options?: CaseOptions;
  /**
   * Expected extractors of the plan, keyed by variable, in the form `call path-or-type transforms`.
   */
  readonly variables?: Record<string, string>;
  /**
   * Expected extractors of the plan's `expect` steps, keyed by variable, in the form
   * `path-or-type`.
   */
  readonly received?: Record<string, string>;
  /** Expected conditions of the plan's `expect` steps. */
  readonly waits?: readonly Record<string, unknown>[];
  /** Expected `send` steps of the plan. */
  readonly sent?: readonly unknown[];
  /** Extractors that the notes must suggest, keyed by variable. */
  readonly offers?: Record<string, Record<string, unknown>>;
  /** Expected parts of the plan's requests, keyed by zero-based request index. */
  readonly sends?: Record<string, unknown>;
  /**
   * Replacements, keyed by the recorded string. A string that occurs in two encodings has a key for
   * each. If the responses contain the replacements, the plan must send them too.
   */
  readonly fresh?: Record<string, string>;
  /** Codes of notes that the conversion must emit. */
  readonly notes?: readonly string[];
  /** Codes of notes that the conversion must not emit. */
  readonly no_notes?: readonly string[];
  /** Text that the message of a note must contain, keyed by the code of the note. */
  readonly messages?: Record<string, string>;
  /** Expected URLs of all requests of the plan. */
  readonly urls?: readonly string[];
  /** Expected parts of all `retry` steps of the plan. */
  readonly repeats?: readonly Record<string, unknown>[];
  /** Expected steps of the plan: the URL of each request, and the duration of each pause. */
  readonly flow?: readonly string[];
  /** Expected environment variables of the plan's secrets, keyed by secret. */
  readonly secrets?: Record<string, string>;
  /** Expected lines of `--explain`. */
  readonly explained?: readonly string[];
  /** Expected names of all requests of the plan. */
  readonly names?: readonly string[];
  /** Expected parts of `defaults.http`. */
  readonly defaults?: Record<string, unknown>;
}

const CASES = new URL("../../../testdata/har/cases/", import.meta.url);

/** Names of the files in testdata/har/cases, without their extension. */
export const CASE_FILES: readonly string[] = [...Deno.readDirSync(CASES)].map(({ name }) =>
  name.replace(/\.yaml$/, "")
).sort();

/** Reads the cases in a file in testdata/har/cases. */
export function readCases(file: string): RecordedCase[] {
  return parseYaml(Deno.readTextFileSync(new URL(file, CASES))) as RecordedCase[];
}

/** Returns a recording that contains the given calls. */
export function recordingOf(calls: readonly CaseCall[]): Recording {
  return recordingWith(calls.map(exchangeOf));
}

/** Returns a recording that contains the given exchanges. */
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
  const text = call.text ??
    (call.response === undefined ? undefined : JSON.stringify(call.response));
  return {
    index,
    page: undefined,
    startedAt,
    endedAt,
    ...(call.messages && { messages: messagesOf(call.messages) }),
    request: {
      method: call.messages ? "GET" : method,
      url: target.startsWith("/") ? `https://app.example${target}` : target,
      headers: fields(call.headers),
      body: bodyOf(call),
      ...(call.by_script && { purpose: "script" }),
    },
    response: {
      status: call.status ?? (call.messages ? 101 : 200),
      headers: fields(call.response_headers),
      mimeType: call.type ?? (call.response === undefined ? "" : "application/json"),
      text,
      ...(text?.isWellFormed() && { utf8: new TextEncoder().encode(text) }),
      size: text?.length ?? 0,
    },
  };
}

function messagesOf(lines: Readonly<Record<number, MessageLine>>): RecordedMessage[] {
  return Object.entries(lines).map(([at, line]) => ({
    sent: line.startsWith(">"),
    at: Number(at),
    text: line.slice(2),
  }));
}

function fields(map: Record<string, string> = {}): NameValue[] {
  return Object.entries(map).map(([name, value]) => ({ name, value }));
}

function bodyOf(
  { json, form, multipart, filename, body, type_sent = "text/plain" }: CaseCall,
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
    const text = encodeForm(Object.entries(form));
    return { kind: "form", text, contentType: "application/x-www-form-urlencoded" };
  }
  if (multipart) {
    return {
      kind: "multipart",
      parts: fields(multipart).map((part) => ({ ...part, ...(filename && { filename }) })),
      contentType: "multipart/form-data; boundary=x",
    };
  }
  if (body === undefined) return undefined;
  if (type_sent === "application/json") {
    return { kind: "json", value: parseExactJson(body), text: body, contentType: type_sent };
  }
  const isForm = type_sent === "application/x-www-form-urlencoded";
  return { kind: isForm ? "form" : "text", text: body, contentType: type_sent };
}
