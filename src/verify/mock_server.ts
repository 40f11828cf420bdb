import type { Draft } from "../convert/correlate/draft.ts";
import { httpOrigin } from "../traffic/har/http_origin.ts";
import { CallFinder } from "./call_finder.ts";
import { Cutter } from "./cutter.ts";
import type { RecordedSession } from "./recorded_session.ts";
import { Judge, type Judgement, NOTHING_WRONG } from "./judge.ts";
import { ValueGenerator } from "./value_generator.ts";
import { type MockResponse, RecordedResponseTemplate } from "./mock_response.ts";
import { type Arrived, sentCall } from "./sent_call.ts";
import { MockUser } from "./user.ts";

/** What became of a request. */
export interface Exchanged {
  readonly answer: MockResponse;
  /** The call that it was taken for; undefined when the recording has none. */
  readonly call: Draft | undefined;
  readonly judgement: Judgement;
  /** A recorded redirect led there, and no recorded call does. */
  readonly beyond: boolean;
}

/** Stands in for the recorded server: recorded answers with fresh values, and a look at what is sent. */
export class MockServer {
  readonly #journey: RecordedSession;
  readonly #mint: ValueGenerator;
  readonly #finder: CallFinder;
  readonly #judge: Judge;
  readonly #cutter: Cutter;
  readonly #origins: ReadonlySet<string>;
  readonly #answers = new Map<Draft, RecordedResponseTemplate>();
  readonly #users = new Map<string, MockUser>();

  /** The same seed makes the same values. */
  constructor(journey: RecordedSession, seed: number) {
    const { calls, made } = journey;
    const values = new Set([...made.values()].flatMap((plains) => [...plains]));
    this.#journey = journey;
    this.#mint = new ValueGenerator(seed, [
      ...values,
      ...calls.flatMap(({ slots }) => slots.map(({ value }) => value)),
    ]);
    this.#finder = new CallFinder(calls);
    this.#judge = new Judge(journey, this.#mint);
    this.#cutter = new Cutter(values);
    this.#origins = new Set(calls.map(({ url }) => url.origin));
  }

  /** Answers what a user sent. A request to an origin that was not recorded is one to the usual. */
  exchange(arrived: Arrived, userName: string): Exchanged {
    const user = this.#user(userName);
    const recorded = (text: string) => this.#mint.recorded(text);
    const isKnown = this.#origins.has(httpOrigin(arrived.url));
    const urls = isKnown ? [arrived.url] : [this.#atHome(arrived.url), arrived.url];
    const led = user.ledOut;
    user.ledOut = undefined;
    if (urls.some((url) => new URL(url).href === led)) {
      return { answer: empty(200), call: undefined, judgement: NOTHING_WRONG, beyond: true };
    }
    const sent = sentCall({ ...arrived, url: urls[0] });
    const call = this.#finder.find(sent, user.taken, recorded);
    if (call === undefined) {
      return { answer: empty(404), call, judgement: NOTHING_WRONG, beyond: false };
    }
    const judgement = this.#judge.judge(call, sent, user);
    const answer = this.#answer(call, user);
    if (this.#journey.leadingOut.has(call)) user.ledOut = redirectTarget(answer, urls[0]);
    return { answer, call, judgement, beyond: false };
  }

  /** The URL at the origin to which most of the recorded calls went. */
  #atHome(url: string): string {
    return this.#journey.origin + url.slice(url.indexOf("/", "https://".length));
  }

  #user(name: string): MockUser {
    let user = this.#users.get(name);
    if (user === undefined) this.#users.set(name, user = new MockUser(name, this.#mint));
    return user;
  }

  /** The first answer that holds a value makes it anew each time; the others repeat it. */
  #answer(call: Draft, user: MockUser): MockResponse {
    let answer = this.#answers.get(call);
    if (answer === undefined) {
      this.#answers.set(call, answer = new RecordedResponseTemplate(call.exchange, this.#cutter));
    }
    for (const plain of this.#journey.made.get(call) ?? []) {
      if (answer.plains.has(plain)) user.renew(plain);
    }
    return answer.with((plain) => user.valueOf(plain));
  }
}

/** Where a redirect leads from `url`. */
function redirectTarget({ headers }: MockResponse, url: string): string | undefined {
  const location = headers.find(([name]) => name === "location")?.[1];
  const target = location === undefined ? null : URL.parse(location, url);
  if (target !== null) target.hash = "";
  return target?.href;
}

function empty(status: number): MockResponse {
  return { status, headers: [], body: new Uint8Array() };
}
