import { CallComparer } from "./compare/call_comparer.ts";
import type { Exchanged } from "./mock/mock_sender.ts";
import { type Arrived, MockServer } from "./mock/mock_server.ts";
import { Observations } from "./result/observations.ts";
import type { RecordedSession } from "./session/recorded_session.ts";

/** A mock server that compares each request with the recorded call before it responds. */
export class VerifyingServer {
  /** Results of the comparisons so far. */
  readonly seen: Observations = new Observations();
  readonly #server: MockServer;
  readonly #comparer: CallComparer;

  /** Creates a server for a recorded session. The same seed generates the same fresh values. */
  constructor(session: RecordedSession, seed: number) {
    this.#server = new MockServer(session, seed);
    this.#comparer = new CallComparer(session, this.#server.generator);
  }

  /** Compares a user's request with the recorded call that it matches, and returns the response. */
  exchange(arrived: Arrived, userName: string): Exchanged {
    const received = this.#server.receive(arrived, userName);
    const { user, sent, call, isExternalRedirect } = received;
    if (call !== undefined) this.seen.add(call, this.#comparer.compare(call, sent, user));
    else if (!isExternalRedirect) this.seen.addUnknown(arrived.method, arrived.url);
    return { response: this.#server.respond(received), call };
  }
}
