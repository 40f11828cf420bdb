import { extractValue } from "../correlation/try_extractor.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { Assessor } from "./assess.ts";
import { CallComparer } from "./call_comparer.ts";
import { Observations } from "./comparison.ts";
import { generatedValues } from "./generated_values.ts";
import type { Exchanged } from "./mock_sender.ts";
import { type Arrived, type MockOptions, MockServer } from "./mock_server.ts";
import type { RecordedSession } from "./recorded_session.ts";

/** What a plan shows about the values of its recording. */
export interface PlanKnowledge {
  readonly assessor?: Assessor;
  /** Values that `calibrate` found to be constant. */
  readonly constants?: ReadonlySet<string>;
  /** The extractors of the plan, by the number of the entry whose response they read. */
  readonly extractors?: ReadonlyMap<number, readonly Extractor[]>;
}

/** A mock server that compares each request with the recorded call before it responds. */
export class VerifyingServer {
  /** Results of the comparisons so far. */
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

  #extracted(extractors: ReadonlyMap<number, readonly Extractor[]>): Set<string> {
    const keys = new Set<string>();
    for (const [entry, list] of extractors) {
      const call = this.#session.byEntry.get(entry);
      if (call === undefined) continue;
      const response = this.#server.regenerated(call);
      for (const extractor of list) {
        const text = leafText(extractValue(extractor, response));
        if (text === undefined) continue;
        const fresh = this.#server.values.find(text);
        for (const { key } of fresh) keys.add(key);
        if (fresh.length > 0) continue;
        for (const { value } of [{ value: text }, ...generatedValues(text)]) keys.add(value);
      }
    }
    return keys;
  }

  /** Returns the messages that were recorded after the opening `call`, in order. */
  messages(call: RecordedCall): readonly RecordedCall[] {
    return this.#session.sockets.get(call.exchange.index + 1) ?? [];
  }

  /** Returns the text of a recorded message that the server sends to a user. */
  message(call: RecordedCall, userName: string): string {
    return this.#server.message(call, userName);
  }

  /** Compares a user's request with the recorded call that it matches, and returns the response. */
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
      this.seen.add(call, { ...found, differing }, isAlike(call, sent));
    } else if (relation === "added") {
      this.seen.addAdded({ method, url, like, ...(isWrite && { isWrite }) });
    }
    return { response: this.#server.respond(received), call };
  }
}

function isAlike(call: RecordedCall, sent: RecordedCall): boolean {
  const [recorded, actual] = [call, sent].map(({ url }) => fieldsIn(url.path));
  return methodOf(call) === methodOf(sent) &&
    (recorded.length === actual.length || recorded[0]?.value === actual[0]?.value);
}
