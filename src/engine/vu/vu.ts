import type { Random } from "../../base/random.ts";
import type { CookieJar } from "../../http/cookies.ts";
import type { DigestLogins } from "../../http/digest.ts";
import {
  clearResponse,
  HttpResponse,
  type HttpSession,
  type Outgoing,
  type SocketMessage,
} from "../../http/sender.ts";
import type { Cancel, Clock } from "./clock.ts";
import { FlowEnd, type TemplateFault } from "./flow_end.ts";
import type { SocketSession } from "./socket_session.ts";
import { parseExactJson } from "../../base/exact_number.ts";
import { parseJson, type ResponseView } from "../../extract/response_view.ts";
import { contentText, decodeContent } from "../../http/content.ts";

/** Place of an iteration in a schedule whose rate does not change, or in a recording. */
export interface Place {
  /** Number of iterations before it. It may be fractional. */
  readonly index: number;
  readonly of: number;
}

export type Row = Readonly<Record<string, unknown>>;

interface VuParts {
  /** Number of the VU within its scenario, counted from 1 across all shards. */
  readonly id: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly open: () => HttpSession;
  readonly jar: CookieJar | undefined;
  /**
   * True if each iteration starts without the cookies, logins and variables of the previous one.
   */
  readonly newUser: boolean;
  readonly newConnections: boolean;
  /** Returns the text of `${unique}`, always the same one in an iteration. */
  readonly uniqueText: (iteration: number) => string;
}

/**
 * Number of loop rounds without a wait after which a VU must yield: about one millisecond of work.
 */
const ROUNDS_WITHOUT_WAIT = 1_000;

/**
 * Virtual user (VU) with its variables and connections. It runs one iteration at a time, between
 * calls to `begin` and `end`. Flows write only to `variables`, `rows`, `cursors`, `sockets` and
 * `unsent`.
 */
export class Vu {
  readonly id: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly session: HttpSession;
  readonly cookies: JarCookies;
  readonly logins: DigestLogins;
  /**
   * Open WebSockets of the VU. Each key is the `SocketScope` of the step that opened the WebSocket.
   */
  readonly sockets: Map<object, SocketSession>;
  readonly received: ReceivedResponse;
  /** Variables by index (see `variableIndex`), which iterations keep unless each is a new user. */
  readonly variables: unknown[];
  /**
   * Row of each data source in this iteration, by `DataSource.index`. A row is read on first use.
   */
  readonly rows: (Row | undefined)[];
  /** Number of rows that the VU has used from each `per_vu` data source, by `DataSource.index`. */
  readonly cursors: number[];
  /** Reason why the last request could not be built, if one was started. */
  unsent: TemplateFault | undefined;
  /** Place of the iteration in the schedule of an open model. Undefined in a closed model. */
  place: Place | undefined;
  /** Zero-based index of the current iteration, or -1 before the first. */
  iteration: number;
  /** True between `begin` and `end`. */
  running = false;
  /** True if the iteration was canceled. If so, its waits end immediately. */
  canceled: boolean;
  /** Number of waits for a response or a timer, without which no other VU can run. */
  waits = 0;
  /** True if the next request step must pause for the think time first. */
  pauseDue = false;
  readonly #parts: VuParts;
  readonly #uuids: Map<string, string>;
  readonly #branches = new Set<Vu>();
  #scheduledAt = NaN;
  #omittedHeaders = 0;
  #roundsSinceWait = 0;
  #idle = false;
  #wake: (() => void) | undefined;
  #cancelTimer: Cancel | undefined;

  /** With `parent`, creates a branch that shares almost all of its state. */
  constructor(parts: VuParts, parent?: Vu) {
    this.#parts = parts;
    this.id = parts.id;
    this.clock = parts.clock;
    this.random = parts.random;
    this.session = parts.open();
    this.received = new ReceivedResponse(parts.jar);
    this.cookies = parent?.cookies ?? new JarCookies(parts.jar);
    this.variables = parent?.variables ?? [];
    this.logins = parent?.logins ?? new Map();
    this.sockets = parent?.sockets ?? new Map();
    this.rows = parent?.rows ?? [];
    this.cursors = parent?.cursors ?? [];
    this.#uuids = parent ? parent.#uuids : new Map();
    this.iteration = parent?.iteration ?? -1;
    this.canceled = parent?.canceled ?? false;
  }

  /** Value of `${unique}`, which is different for every iteration of every VU. */
  get unique(): string {
    return this.#parts.uniqueText(this.iteration);
  }

  /** Returns the UUID with this name. It is new in each iteration. */
  namedUuid(name: string): string {
    let uuid = this.#uuids.get(name);
    if (uuid === undefined) this.#uuids.set(name, uuid = this.random.uuid());
    return uuid;
  }

  /** Begins an iteration. In an open model, `scheduledAt` and `place` are those of the schedule. */
  begin(scheduledAt: number, place?: Place): void {
    this.iteration++;
    this.place = place;
    this.#scheduledAt = scheduledAt;
    this.running = true;
    this.pauseDue = this.canceled = false;
    if (this.rows.length > 0) this.rows.length = 0;
    if (this.#uuids.size > 0) this.#uuids.clear();
    if (this.#parts.newUser) {
      this.#parts.jar?.clear();
      this.logins.clear();
      this.variables.length = 0;
    }
  }

  end(): void {
    this.running = false;
    if (this.#parts.newConnections) this.session.close();
  }

  /** Returns the scheduled start once, so that only the first request's latency is corrected. */
  takeScheduledAt(): number {
    const scheduledAt = this.#scheduledAt;
    this.#scheduledAt = NaN;
    return scheduledAt;
  }

  startRequest(): void {
    this.pauseDue = true;
    this.unsent = undefined;
  }

  /** Counts a header that the request being built omits, because a variable in it is not set. */
  omitHeader(): void {
    this.#omittedHeaders++;
  }

  /** Returns the number of headers omitted since the last call because of unset variables. */
  takeOmittedHeaders(): number {
    const omitted = this.#omittedHeaders;
    this.#omittedHeaders = 0;
    return omitted;
  }

  /** Resets `received` for the response to `request`, and counts the wait for it. */
  expectResponse(request: Outgoing): void {
    this.received.expect(request);
    this.waits++;
    this.#roundsSinceWait = 0;
  }

  pause(ms: number): Promise<void> {
    this.pauseDue = false;
    return this.pauseUntil(this.clock.now() + ms);
  }

  /** Waits until `time`. Rejects with FlowEnd if the VU is canceled during the wait. */
  async pauseUntil(time: number): Promise<void> {
    if (!this.canceled) await this.#sleepUntil(time);
    if (this.canceled) throw new FlowEnd("iteration");
  }

  /** Pauses for 1 ms so that timers and other VUs can run. */
  yieldToOthers(): Promise<void> {
    return this.pauseUntil(this.clock.now() + 1);
  }

  /** Counts a round of a loop. Returns true if it is time to call `yieldToOthers`. */
  mustYield(): boolean {
    return ++this.#roundsSinceWait >= ROUNDS_WITHOUT_WAIT;
  }

  /** Waits between two iterations until `time`, `wakeIdle` or `cancel`. */
  async idleUntil(time: number): Promise<void> {
    this.#idle = true;
    await this.#sleepUntil(time);
    this.#idle = false;
  }

  wakeIdle(): void {
    if (this.#idle) this.#wakeNow();
  }

  cancel(): void {
    this.canceled = true;
    this.#wakeNow();
    this.session.close();
    for (const branch of this.#branches) branch.cancel();
  }

  /**
   * Creates a VU for a branch of a `parallel` step. The branch shares the variables, rows, cookies
   * and connections of this VU. If no request has used the iteration's scheduled time yet, the
   * first request of the first branch uses that time.
   */
  branch(): Vu {
    const branch = new Vu({ ...this.#parts, open: () => this.session.branch() }, this);
    branch.#scheduledAt = this.takeScheduledAt();
    branch.place = this.place;
    this.#branches.add(branch);
    return branch;
  }

  /** Closes a VU that `branch()` created, and adds its `waits` to the `waits` of this VU. */
  join(branch: Vu): void {
    this.#branches.delete(branch);
    branch.session.close();
    this.waits += branch.waits;
  }

  #sleepUntil(time: number): Promise<void> {
    this.waits++;
    this.#roundsSinceWait = 0;
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#cancelTimer = this.clock.at(time, resolve);
    });
  }

  #wakeNow(): void {
    this.#cancelTimer?.();
    this.#wake?.();
  }
}

/**
 * Compiled step or flow. Returns undefined if it completed synchronously. Throws FlowEnd, or
 * rejects with it, to end the iteration early. `now` is the current clock time. Only the first step
 * of an iteration receives it, to save a clock read.
 */
export type Op = (vu: Vu, now?: number) => Promise<void> | void;

export function sequence(ops: readonly Op[]): Op {
  if (ops.length === 1) return ops[0];
  return async (vu, now) => {
    for (let i = 0; i < ops.length; i++) {
      const waits = ops[i](vu, i === 0 ? now : undefined);
      if (waits) await waits;
    }
  };
}

/** Last response that a VU received. Each part is decoded when it is first read. */
export class ReceivedResponse implements ResponseView {
  readonly response: HttpResponse = new HttpResponse();
  readonly #jar: CookieJar | undefined;
  #request: Outgoing | undefined;
  #text: string | undefined;
  /** Finds the JSON in the text of a message. Undefined if the response is not a message. */
  #jsonOf: ((text: string) => string) | undefined;
  #json: unknown;
  #exactJson: unknown;
  #html: unknown;

  constructor(jar: CookieJar | undefined) {
    this.#jar = jar;
  }

  /** Discards what was decoded. Call it before `response` receives the one to `request`. */
  expect(request: Outgoing | undefined): void {
    this.#request = request;
    this.#text = undefined;
    this.#jsonOf = undefined;
    this.#json = this.#exactJson = undefined;
    this.#html = undefined;
  }

  /**
   * Replaces the response with a WebSocket message. The response then has the status 101 and no
   * headers. `size` is the size of the message in bytes. `jsonOf` returns the JSON text in a
   * message, without the frame that a protocol such as Socket.IO adds.
   */
  replaceByMessage(message: SocketMessage, size: number, jsonOf: (text: string) => string): void {
    this.expect(undefined);
    this.#jsonOf = jsonOf;
    clearResponse(this.response, this.response.startedAt);
    this.response.status = 101;
    this.response.bodySize = size;
    if (typeof message === "string") this.#text = message;
    else this.response.body = message;
  }

  replaceText(text: string): void {
    this.expect(this.#request);
    this.#text = text;
  }

  discard(): void {
    this.expect(undefined);
    this.response.status = this.response.bodySize = 0;
    this.response.headers = [];
  }

  get text(): string {
    return this.#text ??= contentText(decodeContent(this.response), this.header("content-type"));
  }

  /** JSON value of the body, or undefined if it is not JSON. */
  get json(): unknown {
    if (this.#json === undefined) this.#json = parseJson(this.#jsonText());
    return this.#json;
  }

  get exactJson(): unknown {
    return this.#exactJson ??= parseExactJson(this.#jsonText());
  }

  #jsonText(): string {
    return this.#jsonOf === undefined ? this.text : this.#jsonOf(this.text);
  }

  /** Returns the parsed body. Parses it only once. */
  html<Document>(parse: (text: string) => Document): Document {
    return (this.#html ??= parse(this.text)) as Document;
  }

  get request(): Outgoing | undefined {
    return this.#request;
  }

  get headers(): HttpResponse["headers"] {
    return this.response.headers;
  }

  /** Returns the value of a cookie that another request to the URL would send. */
  storedCookie(name: string): string | undefined {
    const request = this.#request;
    return request && this.#jar?.get(name, request.origin, request.target);
  }

  header(name: string): string | undefined {
    return this.response.headers.find(([known]) => known === name)?.[1];
  }

  /** Duration of sending, waiting and receiving in ms, as in `http_req_duration`. */
  get durationMs(): number {
    return this.response.sendingMs + this.response.waitingMs + this.response.receivingMs;
  }
}

/** Adds cookies from a VU's cookie jar to its requests, and stores the cookies of its responses. */
export class JarCookies {
  readonly #jar: CookieJar | undefined;
  /** Results of `addToConstant`, which are valid for one version of the jar. */
  readonly #cache = new Map<Outgoing, { version: number; outgoing: Outgoing }>();

  /** Wraps a cookie jar. Without a jar, requests stay unchanged and no cookies are stored. */
  constructor(jar: CookieJar | undefined) {
    this.#jar = jar;
  }

  /** Returns the request with the cookies of the plan and those of the jar. */
  addTo(request: Outgoing): Outgoing {
    const jar = this.#jar;
    const cookies = jar?.version ? jar.header(request.origin, request.target) : undefined;
    return cookies === undefined ? request : addCookies(request, cookies);
  }

  /** Like `addTo`, but returns the same object until the jar changes. Only for constants. */
  addToConstant(request: Outgoing): Outgoing {
    const jar = this.#jar;
    if (!jar || jar.version === 0) return request;
    const cached = this.#cache.get(request);
    if (cached?.version === jar.version) return cached.outgoing;
    const outgoing = this.addTo(request);
    this.#cache.set(request, { version: jar.version, outgoing });
    return outgoing;
  }

  store({ origin, target }: Outgoing, { headers }: HttpResponse): void {
    const jar = this.#jar;
    if (!jar || headers.length === 0) return;
    for (const [name, value] of headers) {
      if (name === "set-cookie") jar.store(origin, target, value);
    }
  }
}

function addCookies(request: Outgoing, cookies: string): Outgoing {
  const isCookie = ([name]: readonly [string, string]) => name.toLowerCase() === "cookie";
  const own = request.headers.filter(isCookie).map(([, value]) => value);
  return {
    ...request,
    encoded: undefined,
    headers: [
      ...request.headers.filter((header) => !isCookie(header)),
      ["Cookie", [...own, cookies].join("; ")],
    ],
  };
}
