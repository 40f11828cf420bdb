import { expressionFor } from "../convert/correlate/usages.ts";
import type { Draft } from "../convert/correlate/draft.ts";
import { formatExpression } from "../plan/template.ts";
import { type CallPlace, callPlaces, isHeader, matters } from "./call_places.ts";
import { sentForm } from "./forms.ts";
import type { RecordedSession, VariableUsage } from "./recorded_session.ts";
import { Literals } from "./literals.ts";
import type { ValueGenerator } from "./value_generator.ts";
import { SECRET } from "./with_secrets.ts";
import type { MockUser } from "./user.ts";
import type { Difference, Staleness, StaleValue, UnprovenValue } from "./verification.ts";

/** What is wrong with one request. */
export interface Judgement {
  readonly stale: readonly StaleValue[];
  readonly differing: readonly Difference[];
  readonly unproven: readonly UnprovenValue[];
}

/** What is wrong with a request that is as recorded. */
export const NOTHING_WRONG: Judgement = { stale: [], differing: [], unproven: [] };

/** Compares requests with the recorded calls that they are meant to be. */
export class Judge {
  readonly #journey: RecordedSession;
  readonly #mint: ValueGenerator;
  readonly #literals: Literals;

  constructor(journey: RecordedSession, mint: ValueGenerator) {
    this.#journey = journey;
    this.#literals = new Literals(journey.exchanges);
    this.#mint = mint;
  }

  /** Judges what `user` sent as `call`. */
  judge(call: Draft, sent: Draft, user: MockUser): Judgement {
    const name = this.#journey.nameOf(call);
    const recorded = callPlaces(call);
    const found = callPlaces(sent);
    const judged = [...recorded].map(([place, was]) =>
      this.#judgePlace(name, place, was, found.get(place), user)
    );
    const added = [...found].filter(([place]) => !recorded.has(place) && !isHeader(place))
      .map(([place, { text }]) => ({ call: name, place, recorded: undefined, sent: text }));
    const differing = [
      ...methodDifference(call, sent, name),
      ...judged.flatMap(({ differing }) => differing),
      ...added,
    ];
    return {
      stale: [
        ...judged.flatMap(({ stale }) => stale),
        ...this.#staleCookies(name, sent, user),
      ],
      differing: differing.filter(({ place }) => matters(place)),
      unproven: [
        ...[...recorded].flatMap(([place, was], i) =>
          this.#unproven(call, place, was.text, found.get(place)?.text, judged[i].stale)
        ),
        ...this.#unprovenElsewhere(call, recorded, found),
      ],
    };
  }

  /** The recorded literals that were sent at a place and that the server could generate anew. */
  #unproven(
    call: Draft,
    place: string,
    recorded: string,
    sent: string | undefined,
    stale: readonly StaleValue[],
  ): UnprovenValue[] {
    if (sent === undefined || !matters(place) || place === "header content-type") return [];
    return this.#literals.at(call, place, recorded)
      .filter(({ value }) => sent.includes(value) && !stale.some((s) => s.value.includes(value)))
      .map(({ value, producer }) => ({
        value,
        call: this.#journey.nameOf(call),
        place,
        producer: producer && this.#journey.nameOfExchange(producer),
      }));
  }

  /** The values of earlier responses that were sent at places that the recorded call does not have. */
  #unprovenElsewhere(
    call: Draft,
    recorded: ReadonlyMap<string, CallPlace>,
    found: ReadonlyMap<string, CallPlace>,
  ): UnprovenValue[] {
    return [...found].filter(([place]) => !recorded.has(place) && matters(place))
      .flatMap(([place, { text }]) =>
        this.#literals.among(text, call).filter(({ value }) => this.#mint.recorded(value) === value)
          .map(({ value, producer }) => ({
            value,
            call: this.#journey.nameOf(call),
            place,
            producer: this.#journey.nameOfExchange(producer),
          }))
      );
  }

  #judgePlace(
    call: string,
    place: string,
    was: CallPlace,
    is: CallPlace | undefined,
    user: MockUser,
  ): Omit<Judgement, "unproven"> {
    const differs = (recorded: string, sent: string | undefined) => (
      { stale: [], differing: [{ call, place, recorded, sent }] }
    );
    if (is === undefined) return differs(was.text, undefined);
    const uses = (was.slot && this.#journey.uses.get(was.slot)) ?? [];
    const live = uses.filter(({ plain }) => user.has(plain));
    const old = this.#staleUses(was.text, live, is.text, user);
    if (old.length > 0) {
      return { stale: old.map(([use, why]) => this.#stale(use, why, call, place)), differing: [] };
    }
    if (is.numeric !== was.numeric) return differs(typed(was), typed(is));
    return this.#isAsRecorded(was.text, live, is.text, user)
      ? NOTHING_WRONG
      : differs(was.text, is.text);
  }

  #isAsRecorded(
    text: string,
    uses: readonly VariableUsage[],
    sent: string,
    user: MockUser,
  ): boolean {
    if (sent === text || sent === expected(text, uses, user)) return true;
    return this.#mint.recorded(sent) === text || (sent.includes(SECRET) && fits(sent, text));
  }

  /** The uses that were sent as they were before; none where the text is quite another. */
  #staleUses(
    text: string,
    uses: readonly VariableUsage[],
    sent: string,
    user: MockUser,
  ): [use: VariableUsage, why: Staleness][] {
    if (uses.length === 0 || sent === expected(text, uses, user)) return [];
    const values = pattern(text, uses).exec(sent)?.slice(1) ?? [];
    return values.flatMap((value, i): [VariableUsage, Staleness][] => {
      const why = this.#staleness(value, uses[i], user);
      return why === undefined ? [] : [[uses[i], why]];
    });
  }

  #staleness(value: string, use: VariableUsage, user: MockUser): Staleness | undefined {
    if (value === use.slot.value.slice(use.start, use.end)) return "as recorded";
    const minted = this.#mint.find(value);
    if (minted?.plain !== use.plain || value === freshValue(use, user)) return undefined;
    return minted.user === user.name ? "from an earlier answer" : "another user's";
  }

  #stale(use: VariableUsage, why: Staleness, call: string, place: string): StaleValue {
    const { extractor, candidate } = use.variable;
    return {
      value: candidate.value,
      why,
      call,
      place,
      producer: this.#journey.nameOf(candidate.producer),
      extractor,
      write: formatExpression(expressionFor(use, candidate, extractor.name)),
    };
  }

  #staleCookies(call: string, sent: Draft, user: MockUser): StaleValue[] {
    return parseSetCookies(sent).flatMap(([cookie, value]) => {
      const producer = this.#journey.cookies.get(value);
      if (producer === undefined || !user.has(value)) return [];
      return [{
        value,
        why: "as recorded",
        call,
        place: `cookie ${cookie}`,
        producer: this.#journey.nameOf(producer),
        extractor: undefined,
        write: "",
      }];
    });
  }
}

function parseSetCookies({ exchange }: Draft): [name: string, value: string][] {
  return exchange.request.headers.filter(({ name }) => name.toLowerCase() === "cookie")
    .flatMap(({ value }) => [...value.matchAll(/([^=;\s]+)=([^;]*)/g)])
    .map(([, name, value]) => [name, value]);
}

function freshValue({ plain, variable }: VariableUsage, user: MockUser): string {
  return sentForm(user.valueOf(plain), variable.extractor.transform);
}

/** The recorded text with the user's values in it. */
function expected(text: string, uses: readonly VariableUsage[], user: MockUser): string {
  return pieces(text, uses).map((piece, i) =>
    i === 0 ? piece : freshValue(uses[i - 1], user) + piece
  )
    .join("");
}

/** Matches what is as the text but for the values at the uses, which are its groups. */
function pattern(text: string, uses: readonly VariableUsage[]): RegExp {
  return new RegExp(
    `^${pieces(text, uses).map((piece) => RegExp.escape(piece)).join("(.*?)")}$`,
    "s",
  );
}

/** What stands around the uses: one piece more than there are. */
function pieces(text: string, uses: readonly VariableUsage[]): string[] {
  const ends = [0, ...uses.map(({ end }) => end)];
  return ends.map((end, i) => text.slice(end, uses[i]?.start));
}

/** Whether a text with secrets in it may be the recorded one. */
function fits(sent: string, recorded: string): boolean {
  const around = sent.split(SECRET).map((piece) => RegExp.escape(piece));
  return new RegExp(`^${around.join(".+")}$`, "s").test(recorded);
}

function typed({ text, numeric }: CallPlace): string {
  return `the ${numeric ? "number" : "text"} ${text}`;
}

function methodDifference(call: Draft, sent: Draft, name: string): Difference[] {
  const recorded = call.exchange.request.method.toUpperCase();
  const { method } = sent.exchange.request;
  return method === recorded ? [] : [{ call: name, place: "method", recorded, sent: method }];
}
