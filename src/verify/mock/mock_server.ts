import { httpOrigin } from "../../traffic/har/http_origin.ts";
import type { NameValue } from "../../traffic/har/recording.ts";
import { requestBody } from "../../traffic/har/request_body.ts";
import { keptHeaders } from "../../traffic/session/kept_calls.ts";
import { type RecordedCall, splitCalls } from "../../traffic/session/recorded_call.ts";
import type { RecordedSession } from "../session/recorded_session.ts";
import { CallFinder } from "./call_finder.ts";
import { Cutter } from "./cutter.ts";
import { type MockResponse, RecordedResponseTemplate } from "./mock_response.ts";
import { MockUser, ValueGenerator } from "./value_generator.ts";

/** A request to the mock server, and the recorded call that it matches. */
export interface ReceivedRequest {
  readonly user: MockUser;
  /** The request, split into fields in the same way as recorded calls. */
  readonly sent: RecordedCall;
  /** The recorded call that the request matches, or undefined if there is none. */
  readonly call: RecordedCall | undefined;
  /** True if the request followed a recorded redirect to a URL outside the recording. */
  readonly isExternalRedirect: boolean;
}

/**
 * Mock of the recorded server. Matches requests with recorded calls, and replays the recorded responses
 * with fresh values.
 */
export class MockServer {
  readonly #session: RecordedSession;
  /** Generator of the fresh values. */
  readonly generator: ValueGenerator;
  readonly #finder: CallFinder;
  readonly #cutter: Cutter;
  readonly #origins: ReadonlySet<string>;
  readonly #templates = new Map<RecordedCall, RecordedResponseTemplate>();
  readonly #users = new Map<string, MockUser>();

  /** Creates a mock server. The same seed generates the same fresh values. */
  constructor(session: RecordedSession, seed: number) {
    const { calls, serverValues } = session;
    const values = new Set([...serverValues.values()].flatMap((rawValues) => [...rawValues]));
    this.#session = session;
    this.generator = new ValueGenerator(seed, [
      ...values,
      ...calls.flatMap(({ fields }) => fields.map(({ value }) => value)),
    ]);
    this.#finder = new CallFinder(calls);
    this.#cutter = new Cutter(values);
    this.#origins = new Set(calls.map(({ url }) => url.origin));
  }

  /**
   * Matches a user's request with a recorded call. A request to an origin that was not recorded counts
   * as a request to the main origin.
   */
  receive(arrived: Arrived, userName: string): ReceivedRequest {
    const user = this.#user(userName);
    const isKnown = this.#origins.has(httpOrigin(arrived.url));
    const urls = isKnown ? [arrived.url] : [this.#atMainOrigin(arrived.url), arrived.url];
    const sent = sentCall({ ...arrived, url: urls[0] });
    const redirectedTo = user.externalRedirect;
    user.externalRedirect = undefined;
    if (urls.some((url) => new URL(url).href === redirectedTo)) {
      return { user, sent, call: undefined, isExternalRedirect: true };
    }
    const recorded = (text: string) => this.generator.recorded(text);
    const call = this.#finder.find(sent, user.taken, recorded);
    return { user, sent, call, isExternalRedirect: false };
  }

  /**
   * Returns the response to a request. Regenerates the values that first occur in the response of
   * the recorded call.
   */
  respond({ user, sent, call, isExternalRedirect }: ReceivedRequest): MockResponse {
    if (call === undefined) return empty(isExternalRedirect ? 200 : 404);
    const response = this.#respond(call, user);
    if (this.#session.externalRedirects.has(call)) {
      user.externalRedirect = redirectTarget(response, sent.exchange.request.url);
    }
    return response;
  }

  /** Replaces the origin of a URL with the main origin of the recording. */
  #atMainOrigin(url: string): string {
    return this.#session.origin + url.slice(url.indexOf("/", "https://".length));
  }

  #user(name: string): MockUser {
    let user = this.#users.get(name);
    if (user === undefined) this.#users.set(name, user = new MockUser(name, this.generator));
    return user;
  }

  /**
   * Creates the response to a recorded call. Each request of the first call whose response contains
   * a value regenerates that value. Later calls repeat it.
   */
  #respond(call: RecordedCall, user: MockUser): MockResponse {
    let template = this.#templates.get(call);
    if (template === undefined) {
      this.#templates.set(
        call,
        template = new RecordedResponseTemplate(call.exchange, this.#cutter),
      );
    }
    for (const rawValue of this.#session.serverValues.get(call) ?? []) {
      if (template.recordedValues.has(rawValue)) user.renew(rawValue);
    }
    return template.with((rawValue) => user.valueOf(rawValue));
  }
}

/**
 * Returns the absolute target of a redirect from `url`, without its fragment, or undefined if the
 * response is not a redirect.
 */
function redirectTarget({ headers }: MockResponse, url: string): string | undefined {
  const location = headers.find(([name]) => name === "location")?.[1];
  const target = location === undefined ? null : URL.parse(location, url);
  if (target !== null) target.hash = "";
  return target?.href;
}

function empty(status: number): MockResponse {
  return { status, headers: [], body: new Uint8Array() };
}

/** A request that arrived at the mock server. */
export interface Arrived {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  readonly headers: readonly NameValue[];
  readonly body: Uint8Array | undefined;
}

/** Splits a request into fields in the same way as recorded calls. */
function sentCall({ method, url, headers, body }: Arrived): RecordedCall {
  const contentType = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
  const [call] = splitCalls([{
    index: 0,
    page: undefined,
    startedAt: 0,
    endedAt: 0,
    request: {
      method,
      url,
      headers,
      body: body?.length
        ? requestBody({ text: body.toBase64(), encoding: "base64" }, contentType)
        : undefined,
    },
    response: { status: 0, headers: [], mimeType: "", text: undefined, size: 0 },
  }], keptHeaders);
  return call;
}
