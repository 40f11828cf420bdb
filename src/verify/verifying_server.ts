import { readBody } from "../base/bytes/byte_source.ts";
import { InputError } from "../base/errors.ts";
import { isTrustedHost } from "../base/host_header.ts";
import { utf8Text } from "../base/string_escapes.ts";
import { extractValue } from "../correlation/try_extractor.ts";
import type { Response as SourceResponse } from "../correlation/views.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { Assessor } from "./assess.ts";
import { CallComparer } from "./compare_call.ts";
import { Observations, type PlanVariable } from "./findings.ts";
import { generatedValues } from "./generated_values.ts";
import type { MockResponse } from "./mock_response.ts";
import type { Exchanged } from "./mock_sender.ts";
import { type Arrived, type MockOptions, MockServer } from "./mock_server.ts";
import { readSession, type RecordedSession } from "./recorded_session.ts";

interface PlanKnowledge {
  readonly assessor?: Assessor;
  readonly constants?: ReadonlySet<string>;
  readonly extractors?: ReadonlyMap<number, readonly Extractor[]>;
}

/** Compares each request with the recorded call before it responds. */
export class VerifyingServer {
  readonly seen: Observations = new Observations();
  readonly #server: MockServer;
  readonly #comparer: CallComparer;
  readonly #session: RecordedSession;
  readonly #hasPlan: boolean;

  constructor(
    session: RecordedSession,
    options: MockOptions,
    { assessor = new Assessor(session), constants = new Set(), extractors = new Map() }:
      PlanKnowledge = {},
  ) {
    this.#session = session;
    this.#hasPlan = options.planned.length > 0;
    this.#server = new MockServer(session, options);
    const { values } = this.#server;
    const { kept } = options;
    const extracted = this.#extracted(extractors);
    this.#comparer = new CallComparer({ session, values, assessor, kept, constants, extracted });
  }

  /** The plan's variables by the values that they have for a user who sends nothing. */
  #extracted(
    extractors: ReadonlyMap<number, readonly Extractor[]>,
  ): ReadonlyMap<string, readonly PlanVariable[]> {
    const found = new Map<string, PlanVariable[]>();
    for (const [entry, list] of extractors) {
      const call = this.#session.byEntry.get(entry);
      if (call === undefined) continue;
      const response = this.#server.regenerated(call);
      for (const extractor of list) {
        const text = leafText(extractValue(extractor, response));
        if (text === undefined) continue;
        const { name } = extractor;
        const recorded = this.#server.values.recorded(text);
        const variable = { name, entry, recorded, isByPosition: isByPosition(extractor, response) };
        const fresh = this.#server.values.find(text);
        for (const { key, value } of fresh) {
          found.getOrInsertComputed(key, () => []).push({ ...variable, isWhole: value === text });
        }
        if (fresh.length > 0) continue;
        for (const { value } of [{ value: text }, ...generatedValues(text)]) {
          found.getOrInsertComputed(value, () => []).push({ ...variable, isWhole: value === text });
        }
      }
    }
    return found;
  }

  messages(call: RecordedCall): readonly RecordedCall[] {
    return this.#session.sockets.get(call.exchange.index + 1) ?? [];
  }

  message(call: RecordedCall, userName: string): string {
    return this.#server.message(call, userName);
  }

  exchange(arrived: Arrived, userName: string): Exchanged {
    const received = this.#server.receive(arrived, userName);
    const { user, sent, planned, call, relation, isRepeated } = received;
    const { method, url } = arrived;
    const isWrite = call !== undefined && changesData(call.exchange);
    const like = call && this.#session.nameOf(call);
    if (relation === "recorded" && call !== undefined) {
      const findings = { stale: [], differing: [], unproven: [] };
      const compared = { call, sent, user, planned, hasPlan: this.#hasPlan, found: findings };
      const found = this.#comparer.compare(compared);
      const isAgain = isRepeated && isWrite;
      const again = { call: this.#session.nameOf(call), place: "call", recorded: "once" };
      const differing = isAgain
        ? [...found.differing, { ...again, sent: "again" }]
        : found.differing;
      this.seen.compared.push({ ...found, call, differing, isAlike: isAlike(call, sent) });
    } else if (relation === "added") {
      this.seen.added.push({ method, url, like, ...(isWrite && { isWrite }) });
    }
    return { response: this.#server.respond(received), call };
  }
}

/** Reports whether an extractor takes one of several rows of a JSON list by its position. */
function isByPosition(extractor: Extractor, response: SourceResponse): boolean {
  const [, list] = "expression" in extractor && extractor.type === "jsonpath"
    ? /^(.*)\[-?\d+\]/.exec(extractor.expression) ?? []
    : [];
  if (list === undefined) return false;
  return extractValue({ type: "jsonpath", expression: `${list}[1]` }, response) !== undefined;
}

function isAlike(call: RecordedCall, sent: RecordedCall): boolean {
  const [recorded, actual] = [call, sent].map(({ url }) => fieldsIn(url.path));
  return methodOf(call) === methodOf(sent) &&
    (recorded.length === actual.length || recorded[0]?.value === actual[0]?.value);
}

export interface RecordingServer {
  /** Origin of the server, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
  /** The base URL of `convert`, in whose place responses contain `origin`. */
  readonly recordedOrigin: string;
  readonly seen: Observations;
  stop(): Promise<void>;
}

const MAX_BODY = 128 * 1024 * 1024;
/** Cookie that identifies a visitor. */
const VISITOR = "rehearse_visitor";
const VISITOR_COOKIE = new RegExp(`(?:^|;\\s*)${VISITOR}=([^;]*)`);

/**
 * Serves recorded responses on 127.0.0.1, with fresh values for each visitor (a cookie, or the
 * connection). Throws InputError without calls, and `Deno.errors.AddrInUse`.
 */
export function serveRecording(
  recording: Recording,
  port: number,
  source: string,
): RecordingServer {
  const session = readSession(recording);
  if (session === undefined) {
    throw new InputError("cannot serve the HAR: it contains no calls", { source });
  }
  const verifying = new VerifyingServer(session, { seed: 1, planned: [], kept: new Set() });
  const stopping = new AbortController();

  const { hostname } = new URL(session.origin);

  async function handle(request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) {
    if (!isTrustedHost(request.headers.get("host"), hostname)) {
      return new Response("the Host header contains an unknown name\n", { status: 421 });
    }
    const body = await readBody(request, MAX_BODY);
    if (body === undefined) return new Response("the body is too large\n", { status: 413 });
    const [, known] = VISITOR_COOKIE.exec(request.headers.get("cookie") ?? "") ?? [];
    const visitor = known ?? `${info.remoteAddr.hostname}-${info.remoteAddr.port}`;
    const arrived = {
      method: request.method,
      url: request.url,
      headers: [...request.headers].map(([name, value]) => ({ name, value })),
      body,
    };
    const { response: recorded } = verifying.exchange(arrived, visitor);
    const to = new URL(request.url).origin;
    const response = relocated(recorded, session!.origin, to, request.method);
    if (known === undefined) response.headers.append("set-cookie", `${VISITOR}=${visitor}; Path=/`);
    return response;
  }

  const { signal } = stopping;
  const server = Deno.serve({ hostname: "127.0.0.1", port, signal, onListen: () => {} }, handle);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    recordedOrigin: session.origin,
    seen: verifying.seen,
    stop: () => {
      stopping.abort();
      return server.finished;
    },
  };
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function relocated(
  { status, headers, body }: MockResponse,
  from: string,
  to: string,
  method: string,
): Response {
  const isStatus = status >= 200 && status <= 599;
  const response = new Response(
    method === "HEAD" || NO_BODY.has(status) ? null : movedBody(body, from, to),
    { status: isStatus ? status : 200 },
  );
  for (const [name, value] of headers) {
    const moved = name === "set-cookie" ? forAnyHost(value) : movedText(value, from, to);
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) response.headers.append(name, fieldValue(moved));
  }
  return response;
}

function forAnyHost(cookie: string): string {
  return cookie.replace(/;\s*(?:domain=[^;]*|secure|samesite=none)(?=;|$)/gi, "");
}

function movedText(text: string, from: string, to: string): string {
  const forms = [
    (url: string) => url,
    encodeURIComponent,
    (url: string) => url.replaceAll("/", "\\/"),
  ];
  return forms.reduce((moved, form) => moved.replaceAll(form(from), form(to)), text);
}

function movedBody(body: Uint8Array, from: string, to: string): BodyInit {
  const text = utf8Text(body);
  return text === undefined
    ? new Uint8Array(body)
    : new TextEncoder().encode(movedText(text, from, to));
}

/** Encodes UTF-8 with one character per byte, the only strings that `Headers` accepts. */
function fieldValue(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/[\0\r\n]/g, " "));
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
