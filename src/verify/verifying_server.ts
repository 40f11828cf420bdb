import type { Exchange } from "../traffic/har/recording.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import { CallComparer } from "./call_comparer.ts";
import { Assessor } from "./assess.ts";
import type { Exchanged } from "./mock_sender.ts";
import { type Arrived, type MockOptions, MockServer } from "./mock_server.ts";
import { changesData } from "./recorded_exchanges.ts";
import { Observations } from "./comparison.ts";
import type { RecordedSession } from "./recorded_session.ts";

/** A mock server that compares each request with the recorded call before it responds. */
export class VerifyingServer {
  /** Results of the comparisons so far. */
  readonly seen: Observations = new Observations();
  readonly #server: MockServer;
  readonly #comparer: CallComparer;
  readonly #session: RecordedSession;
  readonly #hasPlan: boolean;

  /**
   * Creates a server for a recorded session. `constants` contains values that `calibrate` has
   * proven to be constant. `extracted` contains the values that the plan extracts.
   */
  constructor(
    session: RecordedSession,
    options: MockOptions,
    assessor: Assessor = new Assessor(session),
    constants: ReadonlySet<string> = new Set(),
    extracted: ReadonlyMap<string, ReadonlySet<Exchange>> = new Map(),
  ) {
    this.#session = session;
    this.#hasPlan = options.planned.length > 0;
    this.#server = new MockServer(session, options);
    const { values } = this.#server;
    const { kept } = options;
    this.#comparer = new CallComparer({ session, values, assessor, kept, constants, extracted });
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
      const compared = { call, sent, user, planned, hasPlan: this.#hasPlan };
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

/**
 * Reports whether a request looks like its recorded call: it has the same method, and the same
 * number of path segments or the same first segment.
 */
function isAlike(call: RecordedCall, sent: RecordedCall): boolean {
  const [recorded, actual] = [call, sent].map(({ url }) => fieldsIn(url.path));
  return methodOf(call) === methodOf(sent) &&
    (recorded.length === actual.length || recorded[0]?.value === actual[0]?.value);
}
