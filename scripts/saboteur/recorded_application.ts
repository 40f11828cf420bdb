import { run } from "../../src/engine/run_plan.ts";
import type { Sender } from "../../src/http/sender.ts";
import { isRelevant } from "../../src/outcome/compare_requests.ts";
import { oneIteration, override } from "../../src/plan/override.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { changesData } from "../../src/traffic/session/changes_data.ts";
import type { RecordedCall } from "../../src/traffic/session/recorded_call.ts";
import type { MockResponse } from "../../src/verify/mock_response.ts";
import { JumpClock, mockSender } from "../../src/verify/mock_sender.ts";
import { type Arrived, MockServer, type ReceivedRequest } from "../../src/verify/mock_server.ts";
import { markRequests, valuesInPlan } from "../../src/verify/plan_requests.ts";
import { readSession, type RecordedSession } from "../../src/verify/recorded_session.ts";
import type { Alter } from "./bystanders.ts";

/** A write that reached a recorded application. */
export interface ReceivedWrite {
  readonly user: string;
  readonly entry: number;
  /** Method, URL, and fields. Values that the server generated are between `«` and `»`. */
  readonly sent: string;
}

const UNIQUE = "X-Unique";

/**
 * An application that sends the recorded responses with fresh values for each user. It refuses,
 * with status 403, a token or id from the recording in place of the user's own. It accepts
 * everything else in silence, like an application that stores less than it was sent.
 */
export class RecordedApplication {
  readonly #session: RecordedSession;
  #alter: Alter = (text) => text;
  /** Constants of the application: plain words, and recorded values that the right plan sends. */
  readonly #kept: Set<string>;
  /** What the right plan sends for each entry, keyed by the entry and the text without marks. */
  readonly #right = new Map<string, string>();
  #writes: readonly ReceivedWrite[] = [];
  /** Recorded UUIDs that the client generated. */
  readonly #clientIds = new Set<string>();

  private constructor(session: RecordedSession) {
    this.#session = session;
    this.#kept = new Set([...session.origins.keys()].filter((value) => /^[a-z]+$/.test(value)));
  }

  /**
   * Creates the application from a recording and a plan that replays it correctly. `alter` changes
   * the responses, but not what counts as right.
   */
  static async create(
    recording: Recording,
    right: Plan,
    alter: Alter = (text) => text,
  ): Promise<RecordedApplication> {
    const { requests } = markRequests(right);
    const session = readSession(recording, {
      values: valuesInPlan(right),
      entries: new Set(requests.flatMap(({ entries }) => entries)),
      numbers: new Map(),
    });
    if (session === undefined) throw new Error("the recording has no calls");
    const application = new RecordedApplication(session);
    for (let round = 0; round < 3; round++) {
      const stale = new Set<string>();
      await application.#run(right, (value) => void stale.add(value));
      if (stale.size === 0) break;
      for (const value of stale) application.#kept.add(value);
    }
    for (const { sent } of await application.#run(right)) {
      for (const [id] of sent.matchAll(PLAIN_UUID)) application.#clientIds.add(id);
    }
    application.#writes = await application.#run(right);
    for (const { entry, sent } of application.#writes) {
      application.#right.set(`${entry} ${unmarked(sent)}`, sent);
    }
    application.#alter = alter;
    return application;
  }

  /** Returns the writes that a plan sends for 2 users in 2 iterations, in order for each user. */
  async writes(plan: Plan): Promise<ReceivedWrite[]> {
    return inOrderOfUsers(await this.#run(plan));
  }

  /** Reports whether a plan sends the same writes as the right plan. */
  async isRight(plan: Plan): Promise<boolean> {
    const right = inOrderOfUsers(this.#writes);
    const sent = await this.writes(plan);
    return sent.length === right.length &&
      sent.every((write, i) => hasValuesOf(write.sent, right[i].sent));
  }

  /** Opens the application for a plan whose requests have been marked (see `markRequests`). */
  open(plan: Plan): { readonly sender: Sender; readonly writes: readonly ReceivedWrite[] } {
    return this.#open(plan, new JumpClock());
  }

  #open(plan: Plan, clock: JumpClock, onStale?: (value: string) => void) {
    const writes: ReceivedWrite[] = [];
    const server = new MockServer(this.#session, {
      seed: 1,
      planned: markRequests(plan).requests,
      kept: this.#kept,
    });
    const calls = this.#session.sockets;
    let opened = 0;
    const sender = mockSender({
      exchange: (arrived: Arrived, user: string) => {
        const received = server.receive(arrived, user);
        const described = this.#describe(received, arrived, user, server);
        if (changesData(received.sent.exchange)) writes.push(described);
        const stale = this.#stale(received, server);
        for (const value of stale) onStale?.(value);
        const response = server.respond(received);
        const isRefused = onStale === undefined && (stale.length > 0 || this.#isStale(described));
        return {
          response: isRefused ? REFUSAL : this.#altered(response),
          call: received.call,
        };
      },
      messages: (call: RecordedCall) => calls.get(call.exchange.index + 1) ?? [],
      message: (call: RecordedCall, user: string) => server.message(call, user),
    }, clock);
    return {
      writes,
      sender: { ...sender, open: (user?: string) => sender.open(`${user ?? ""}#${opened++}`) },
    };
  }

  async #run(plan: Plan, onStale?: (value: string) => void): Promise<ReceivedWrite[]> {
    const clock = new JumpClock();
    const { sender, writes } = this.#open(plan, clock, onStale);
    const { plan: marked } = markRequests(withUnique(plan));
    const base = plan.defaults?.http?.base_url === undefined && { baseUrl: this.#session.origin };
    const load = { ...base, vus: 2, iterations: 2, duration: "24h" };
    await run(override(oneIteration(marked), load), {
      sender,
      clock,
      seed: 1,
      ticks: false,
      readFile: () => new Uint8Array(),
      readEnv: () => "secret",
    });
    clock.close();
    return writes;
  }

  #altered(response: MockResponse): MockResponse {
    const type = response.headers.find(([name]) => name === "content-type")?.[1] ?? "";
    const body = new TextEncoder().encode(
      this.#alter(new TextDecoder().decode(response.body), type),
    );
    return { ...response, body };
  }

  /** Returns the recorded values in a request for which the user has got other values. */
  #stale({ sent, user }: ReceivedRequest, server: MockServer): string[] {
    const { origins } = this.#session;
    return sent.fields.filter(isChecked).flatMap(({ value }) => {
      const fresh = new Set(server.values.find(value).map(({ value: one }) => one));
      return origins.finder.find(value).map(({ value: one }) => one).filter((one) =>
        origins.isServerMade(one) && !this.#kept.has(one) && !fresh.has(one) && user.has(one)
      );
    });
  }

  /** Reports whether a write has recorded values in place of generated ones. */
  #isStale({ entry, sent }: ReceivedWrite): boolean {
    const right = this.#right.get(`${entry} ${unmarked(sent)}`);
    return right !== undefined && !hasValuesOf(sent, right);
  }

  #describe(
    { planned, call }: ReceivedRequest,
    arrived: Arrived,
    user: string,
    server: MockServer,
  ): ReceivedWrite {
    const { method, url, headers, body = new Uint8Array() } = arrived;
    const unique = headers.find(({ name }) => name === UNIQUE)?.value;
    const text = [
      `${method} ${url}`,
      ...headers.filter(({ name }) => TOKEN_HEADER.test(name)).map(({ name, value }) =>
        `${name}: ${value}`
      ),
      utf8.decode(body).replace(BOUNDARY, "--boundary"),
    ].join("\n");
    let [shown, done] = ["", 0];
    for (const { start, end, recorded } of server.values.find(text)) {
      shown += `${text.slice(done, start)}«${recorded}»`;
      done = end;
    }
    shown = (shown + text.slice(done)).replace(
      PLAIN_UUID,
      (id) => GENERATED.test(id) || this.#clientIds.has(id) ? "UUID" : id,
    );
    return {
      user,
      entry: planned?.entries[0] ?? (call === undefined ? 0 : call.exchange.index + 1),
      sent: unique === undefined
        ? shown
        : shown.replace(new RegExp(`(?:[ _+-]|%20)?${unique}`, "g"), ""),
    };
  }
}

/**
 * Reports whether a write is equal to the right one, and has generated values wherever the right
 * one has them.
 */
function hasValuesOf(sent: string, right: string): boolean {
  const marks = (text: string) => text.split("«").length;
  return unmarked(sent) === unmarked(right) && marks(sent) >= marks(right);
}

function unmarked(sent: string): string {
  return sent.replace(/[«»]/g, "");
}

function inOrderOfUsers(writes: readonly ReceivedWrite[]): ReceivedWrite[] {
  return writes.toSorted((a, b) => a.user < b.user ? -1 : a.user > b.user ? 1 : 0);
}

const utf8 = new TextDecoder();
const TOKEN_HEADER = /^(?:authorization|(?:x-)?(?:csrf|xsrf|auth|api).*|if-match|.*token.*)$/i;
const BOUNDARY = /^--.+$/gm;
const PLAIN_UUID = /(?<!«)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
/** Matches a UUID of the version that `${uuid()}` generates. */
const GENERATED = /^.{14}4.{4}[89ab]/;

const REFUSAL: MockResponse = {
  status: 403,
  headers: [["content-type", "text/html"]],
  body: new TextEncoder().encode("<html><title>Forbidden</title><p>Invalid token</p></html>"),
};

function isChecked({ kind, name }: { readonly kind: string; readonly name: string }): boolean {
  return kind !== "header" || isRelevant(`header ${name.toLowerCase()}`);
}

/** Adds a header with the text of `${unique}` to each request. */
function withUnique(plan: Plan): Plan {
  const http = plan.defaults?.http;
  const headers = { ...http?.headers, [UNIQUE]: "${unique}" };
  return { ...plan, defaults: { ...plan.defaults, http: { ...http, headers } } };
}
