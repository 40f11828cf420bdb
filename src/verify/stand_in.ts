import type { Draft } from "../convert/correlate/draft.ts";
import { originOf } from "../traffic/har/origin.ts";
import { CallFinder } from "./call_finder.ts";
import { Cutter } from "./cutter.ts";
import type { Journey } from "./journey.ts";
import { Judge, type Judgement, NOTHING_WRONG } from "./judge.ts";
import { Mint } from "./mint.ts";
import { type Answer, RecordedAnswer } from "./recorded_answer.ts";
import { type Arrived, sentCall } from "./sent_call.ts";
import { User } from "./user.ts";

/** What became of a request. */
export interface Exchanged {
  readonly answer: Answer;
  /** The call that it was taken for; undefined when the recording has none. */
  readonly call: Draft | undefined;
  readonly judgement: Judgement;
  /** A recorded redirect led there, and no recorded call does. */
  readonly beyond: boolean;
}

/** Stands in for the recorded server: recorded answers with fresh values, and a look at what is sent. */
export class StandIn {
  readonly #journey: Journey;
  readonly #mint: Mint;
  readonly #finder: CallFinder;
  readonly #judge: Judge;
  readonly #cutter: Cutter;
  readonly #origins: ReadonlySet<string>;
  readonly #answers = new Map<Draft, RecordedAnswer>();
  readonly #users = new Map<string, User>();

  /** The same seed makes the same values. */
  constructor(journey: Journey, seed: number) {
    const { calls, made } = journey;
    const values = new Set([...made.values()].flatMap((plains) => [...plains]));
    this.#journey = journey;
    this.#mint = new Mint(seed, [
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
    const origin = originOf(arrived.url);
    const url = this.#origins.has(origin)
      ? arrived.url
      : this.#journey.origin + arrived.url.slice(arrived.url.indexOf("/", "https://".length));
    if (user.ledOut.delete(this.#mint.recorded(url))) {
      return { answer: empty(200), call: undefined, judgement: NOTHING_WRONG, beyond: true };
    }
    const sent = sentCall({ ...arrived, url });
    const call = this.#finder.find(sent, user.taken, (text) => this.#mint.recorded(text));
    if (call === undefined) {
      return { answer: empty(404), call, judgement: NOTHING_WRONG, beyond: false };
    }
    const judgement = this.#judge.judge(call, sent, user);
    const leadsTo = this.#journey.leadingOut.get(call);
    if (leadsTo !== undefined) user.ledOut.add(leadsTo);
    return { answer: this.#answer(call, user), call, judgement, beyond: false };
  }

  #user(name: string): User {
    let user = this.#users.get(name);
    if (user === undefined) this.#users.set(name, user = new User(name, this.#mint));
    return user;
  }

  /** The first answer that holds a value makes it anew each time; the others repeat it. */
  #answer(call: Draft, user: User): Answer {
    let answer = this.#answers.get(call);
    if (answer === undefined) {
      this.#answers.set(call, answer = new RecordedAnswer(call.exchange, this.#cutter));
    }
    for (const plain of this.#journey.made.get(call) ?? []) {
      if (answer.plains.has(plain)) user.renew(plain);
    }
    return answer.with((plain) => user.valueOf(plain));
  }
}

function empty(status: number): Answer {
  return { status, headers: [], body: new Uint8Array() };
}
