import type { Response } from "../correlation/views.ts";
import { callPlaces, isHeader } from "../outcome/compare_requests.ts";
import { httpOrigin } from "../traffic/har/origins.ts";
import type { CallUrl } from "../traffic/session/call_url.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { dynamicShape } from "../traffic/session/dynamic_value.ts";
import {
  methodOf,
  type RecordedCall,
  type SentRequest,
  splitSent,
} from "../traffic/session/recorded_call.ts";
import { RequestField } from "../traffic/session/request_field.ts";
import { FreshValues } from "./fresh_values.ts";
import { type MockResponse, RecordedResponseTemplate } from "./mock_response.ts";
import { valueInKey } from "./short_ids.ts";
import { type PlanRequest, SECRET } from "./plan_requests.ts";
import type { RecordedSession } from "./recorded_session.ts";

/** How a request to the mock server relates to the recording. */
export type Relation =
  | "recorded"
  /** The request does not replay a recorded call, although a recorded call may look the same. */
  | "added"
  | "external redirect";

export interface ReceivedRequest {
  readonly user: MockUser;
  readonly sent: RecordedCall;
  /** The request of the plan, or undefined if it is unknown, as after a redirect. */
  readonly planned: PlanRequest | undefined;
  /** The call that it replays, else the one whose response it gets, if any. */
  readonly call: RecordedCall | undefined;
  readonly relation: Relation;
  readonly isRepeated?: boolean;
}

/** Options for a mock server. */
export interface MockOptions {
  readonly seed: number;
  /** Requests of the plan, by the index in `MARK`. Empty if any client may send requests. */
  readonly planned: readonly PlanRequest[];
  readonly kept: ReadonlySet<string>;
}

/** Matches requests with recorded calls, and replays responses with fresh values. */
export class MockServer {
  readonly values: FreshValues;
  readonly #session: RecordedSession;
  readonly #options: MockOptions;
  readonly #finder: CallFinder;
  readonly #origins: ReadonlySet<string>;
  readonly #templates = new Map<RecordedCall, RecordedResponseTemplate>();
  readonly #users = new Map<string, MockUser>();
  readonly #hasEntries: boolean;

  constructor(session: RecordedSession, options: MockOptions) {
    const { calls, origins } = session;
    this.#session = session;
    this.#options = options;
    this.values = new FreshValues(options.seed, [
      ...origins.keys(),
      ...calls.flatMap(({ fields }) => fields.map(({ value }) => value)),
    ]);
    this.#finder = new CallFinder(calls);
    this.#origins = new Set(calls.map(({ url }) => url.origin));
    this.#hasEntries = options.planned.some(({ entries }) => entries.length > 0);
  }

  /** Matches a request by its entry in the plan, otherwise by method and URL. */
  receive(arrived: Arrived, userName: string): ReceivedRequest {
    const user = this.#user(userName);
    const isKnown = this.#origins.has(httpOrigin(arrived.url));
    const urls = isKnown ? [arrived.url] : [this.#atMainOrigin(arrived.url), arrived.url];
    const sent = splitSent({ ...arrived, url: urls[0] });
    const { redirect, externalRedirect } = user;
    user.redirect = user.externalRedirect = undefined;
    if (arrived.iteration !== undefined) user.begin(arrived.iteration);
    const planned = arrived.request === undefined
      ? undefined
      : this.#options.planned[arrived.request];
    const isAt = (target: string | undefined) => urls.some((url) => new URL(url).href === target);
    const hop = planned !== undefined && arrived.isRedirect === true && isAt(redirect);
    const base = { user, sent, planned: hop ? undefined : planned };
    if (isAt(externalRedirect)) return { ...base, call: undefined, relation: "external redirect" };
    // All messages of a WebSocket have the entry number of its opening, so match them by order.
    if (planned !== undefined && !hop && this.#hasEntries && arrived.method !== "SEND") {
      const call = this.#nextCall(planned, user);
      if (call !== undefined) {
        const isRepeated = user.taken.has(call);
        user.taken.add(call);
        return { ...base, call, relation: "recorded", isRepeated };
      }
      return { ...base, call: this.#find(sent, user, false), relation: "added" };
    }
    const call = this.#find(sent, user, true);
    return { ...base, call, relation: call === undefined ? "added" : "recorded" };
  }

  /** Regenerates values, but repeats those in the request, and the texts that the user sent. */
  respond({ user, sent, call, relation }: ReceivedRequest): MockResponse {
    if (call === undefined) return empty(relation === "external redirect" ? 200 : 404);
    if (relation === "recorded") {
      this.#renewValues(call, user);
      this.#replaceTexts(call, sent, user);
    }
    const repeated = this.#recordedValuesIn(sent);
    const response = this.#template(call).with({
      valueOf: (key) => repeated.has(key) ? key : this.#valueFor(key, user),
      textFor: (text) => user.sentFor(text),
    });
    const target = locationOf(response, sent.exchange.request.url);
    user.redirect = target;
    if (this.#session.externalRedirects.has(call)) user.externalRedirect = target;
    return response;
  }

  /** Response with the fresh values of a user who sends nothing. */
  regenerated(call: RecordedCall): Response {
    const user = this.#user("\0");
    const { headers, body } = this.#template(call)
      .with({ valueOf: (key) => this.#valueFor(key, user), textFor: (text) => text });
    return {
      mimeType: call.exchange.response.mimeType,
      headers: headers.map(([name, value]) => ({ name, value })),
      text: new TextDecoder().decode(body),
    };
  }

  /** Returns the text of a recorded message that the server sends to a user, with fresh values. */
  message(call: RecordedCall, userName: string): string {
    const { method, url, headers } = call.exchange.request;
    const sent = splitSent({ method, url, headers, body: undefined });
    const user = this.#user(userName);
    const { body } = this.respond({ user, sent, planned: undefined, call, relation: "recorded" });
    return new TextDecoder().decode(body);
  }

  #nextCall({ entries }: PlanRequest, { taken }: MockUser): RecordedCall | undefined {
    const calls = entries.flatMap((entry) => this.#session.byEntry.get(entry) ?? []);
    return calls.find((call) => !taken.has(call)) ?? calls.at(-1);
  }

  #find(sent: RecordedCall, user: MockUser, isTaken: boolean): RecordedCall | undefined {
    const recorded = (text: string) => this.values.recorded(text);
    const taken = isTaken ? user.taken : new Set(user.taken);
    return this.#finder.find(sent, taken, recorded, () => {
      if (isTaken && this.#options.planned.length === 0) user.iteration++;
    });
  }

  #atMainOrigin(url: string): string {
    return this.#session.origin + url.slice(url.indexOf("/", "https://".length));
  }

  #user(name: string): MockUser {
    return this.#users.getOrInsertComputed(name, () => new MockUser(name, this.values));
  }

  #template(call: RecordedCall): RecordedResponseTemplate {
    return this.#templates.getOrInsertComputed(
      call,
      () => new RecordedResponseTemplate(call.exchange, this.#session),
    );
  }

  /** Within an iteration, only a repeated write regenerates values: it creates another object. */
  #renewValues(call: RecordedCall, user: MockUser): void {
    for (const key of this.#session.origins.firstIn(call.exchange)) {
      if (this.#isRegenerated(key)) user.renew(key, !isSafeMethod(methodOf(call)));
    }
  }

  #replaceTexts(call: RecordedCall, sent: RecordedCall, user: MockUser): void {
    const recorded = this.#session.texts.sentBy(call);
    if (recorded.length === 0) return;
    const places = callPlaces(sent, (name) => this.values.recorded(name));
    const replaced = new Map<string, string>();
    for (const { place, text } of recorded) {
      const now = places.get(place)?.text;
      if (now === undefined || now.includes(SECRET)) continue;
      if ((replaced.get(text) ?? text) === text) replaced.set(text, now);
    }
    for (const [text, now] of replaced) user.replace(text, now);
  }

  /** Returns the recorded values that a request still contains unchanged, except in headers. */
  #recordedValuesIn(sent: RecordedCall): Set<string> {
    const found = new Set<string>();
    for (const [place, { text, isFile }] of callPlaces(sent)) {
      if (isFile || isHeader(place)) continue;
      for (const { value } of this.#session.origins.finder.find(text)) found.add(value);
    }
    return found;
  }

  #valueFor(key: string, user: MockUser): string {
    return this.#isRegenerated(key) ? user.valueOf(key) : user.sentFor(valueInKey(key));
  }

  #isRegenerated(key: string): boolean {
    return !this.#options.kept.has(valueInKey(key)) && this.#session.origins.isServerMade(key);
  }
}

function locationOf({ headers }: MockResponse, url: string): string | undefined {
  const location = headers.find(([name]) => name === "location")?.[1];
  const target = location === undefined ? null : URL.parse(location, url);
  if (target !== null) target.hash = "";
  return target?.href;
}

function empty(status: number): MockResponse {
  return { status, headers: [], body: new Uint8Array() };
}

/** A request that arrived at the mock server. */
export interface Arrived extends SentRequest {
  /** Index of the plan's request, if it is marked. */
  readonly request?: number;
  readonly iteration?: number;
  /** The previous request has the same mark, so that this one may follow a redirect. */
  readonly isRedirect?: boolean;
}

interface Given {
  readonly fresh: string;
  readonly iteration: number;
}

/** A user of the mock server: the calls made so far, and the fresh values of recorded ones. */
export class MockUser {
  readonly name: string;
  /** Zero-based index of the current iteration. */
  iteration = 0;
  readonly taken: Set<RecordedCall> = new Set();
  /** Target of the last response if it was a redirect to a URL outside the recording. */
  externalRedirect: string | undefined;
  /** Target of the last response if it was a redirect, without its fragment. */
  redirect: string | undefined;
  readonly #values: FreshValues;
  readonly #given = new Map<string, Given>();
  readonly #sent = new Map<string, string>();
  readonly #shift: number;

  constructor(name: string, values: FreshValues) {
    this.name = name;
    this.#values = values;
    this.#shift = values.shift();
  }

  begin(iteration: number): void {
    if (iteration === this.iteration) return;
    this.iteration = iteration;
    this.taken.clear();
  }

  has(key: string): boolean {
    return this.#given.has(key);
  }

  /** Undefined if no value was generated yet. */
  current(key: string): string | undefined {
    return this.#given.get(key)?.fresh;
  }

  valueOf(key: string): string {
    return this.#given.get(key)?.fresh ?? this.#renew(key);
  }

  /** Generates a value unless the user has one from this iteration, or if `always`. */
  renew(key: string, always: boolean): void {
    const given = this.#given.get(key);
    if (given === undefined || always || given.iteration !== this.iteration) {
      this.#renew(key);
    }
  }

  replace(recorded: string, sent: string): void {
    this.#sent.set(recorded, sent);
  }

  /** Returns what the plan last sent in place of `recorded`, or `recorded` itself. */
  sentFor(recorded: string): string {
    return this.#sent.get(recorded) ?? recorded;
  }

  #renew(key: string): string {
    const fresh = this.#values.generate(key, this.name, this.#shift);
    this.#given.set(key, { fresh, iteration: this.iteration });
    return fresh;
  }
}

type MatchKey = (call: RecordedCall, valueOf: (text: string) => string) => string;

const MATCH_KEYS: readonly MatchKey[] = [
  (call, valueOf) => `${methodOf(call)} ${urlText(call.url, valueOf)}`,
  (call, valueOf) => `${methodOf(call)} ${pathText(call.url, valueOf)}`,
  (call, valueOf) => `${methodOf(call)} ${pathText(call.url, (text) => shape(valueOf(text)))}`,
  (call, valueOf) => pathText(call.url, valueOf),
];

/** Finds the recorded call that matches a request. */
class CallFinder {
  readonly #byKey: readonly ReadonlyMap<string, readonly RecordedCall[]>[];

  constructor(calls: readonly RecordedCall[]) {
    this.#byKey = MATCH_KEYS.map((keyOf) => Map.groupBy(calls, (call) => keyOf(call, String)));
  }

  /** Takes a call that is not `taken`. If all are, restarts at the first, with `onRestart`. */
  find(
    sent: RecordedCall,
    taken: Set<RecordedCall>,
    recorded: (text: string) => string,
    onRestart: () => void,
  ): RecordedCall | undefined {
    for (const [level, keyOf] of MATCH_KEYS.entries()) {
      const calls = this.#byKey[level].get(keyOf(sent, recorded));
      if (calls === undefined) continue;
      const next = calls.find((call) => !taken.has(call)) ?? calls[0];
      if (taken.has(next)) {
        rewind(taken, next);
        onRestart();
      }
      taken.add(next);
      return next;
    }
    return undefined;
  }
}

function rewind(taken: Set<RecordedCall>, to: RecordedCall): void {
  for (const call of taken) if (call.order >= to.order) taken.delete(call);
}

function urlText(url: CallUrl, valueOf: (text: string) => string): string {
  return pathText(url, valueOf) + url.query.map((piece) => text(piece, valueOf)).join("");
}

function pathText({ origin, path }: CallUrl, valueOf: (text: string) => string): string {
  return origin + path.map((piece) => text(piece, valueOf)).join("");
}

function text(piece: string | RequestField, valueOf: (text: string) => string): string {
  return piece instanceof RequestField ? valueOf(piece.value) : piece;
}

function shape(segment: string): string {
  return dynamicShape(segment) === undefined ? segment : "*";
}
