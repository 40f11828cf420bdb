import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { MockUser, ValueGenerator } from "../mock/value_generator.ts";
import { encodeSent } from "../session/value_encodings.ts";
import type { RawUsage, RecordedSession } from "../session/recorded_session.ts";
import { type CallPlace, callPlaces, isHeader, isRelevant } from "./call_places.ts";
import {
  type Comparison,
  type Difference,
  NO_DIFFERENCE,
  type Staleness,
  type StaleValue,
  type UnprovenValue,
} from "./comparison.ts";
import { Literals } from "./literals.ts";
import { SECRET } from "./placeholder_secrets.ts";

/** Compares requests with their recorded calls. */
export class CallComparer {
  readonly #session: RecordedSession;
  readonly #generator: ValueGenerator;
  readonly #literals: Literals;

  constructor(session: RecordedSession, generator: ValueGenerator) {
    this.#session = session;
    this.#literals = new Literals(session.exchanges);
    this.#generator = generator;
  }

  /** Compares a request of `user` with its recorded call. */
  compare(call: RecordedCall, sent: RecordedCall, user: MockUser): Comparison {
    const name = this.#session.nameOf(call);
    const recorded = callPlaces(call);
    const found = callPlaces(sent);
    const judged = [...recorded].map(([place, recordedPlace]) =>
      this.#judgePlace(name, place, recordedPlace, found.get(place), user)
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
      differing: differing.filter(({ place }) => isRelevant(place)),
      unproven: [
        ...[...recorded].flatMap(([place, recordedPlace], i) =>
          this.#unproven(call, place, recordedPlace.text, found.get(place)?.text, judged[i].stale)
        ),
        ...this.#unprovenElsewhere(call, recorded, found),
      ],
    };
  }

  /**
   * Lists the recorded literals that a request still contains at one place, although the server
   * could regenerate them.
   */
  #unproven(
    call: RecordedCall,
    place: string,
    recorded: string,
    sent: string | undefined,
    stale: readonly StaleValue[],
  ): UnprovenValue[] {
    if (sent === undefined || !isRelevant(place) || place === "header content-type") return [];
    return this.#literals.at(call, place, recorded)
      .filter(({ value }) => sent.includes(value) && !stale.some((s) => s.value.includes(value)))
      .map(({ value, producer }) => ({
        value,
        call: this.#session.nameOf(call),
        place,
        producer: producer && this.#session.nameOfExchange(producer),
      }));
  }

  /**
   * Lists the values from earlier responses that a request contains at places missing from the
   * recorded call.
   */
  #unprovenElsewhere(
    call: RecordedCall,
    recorded: ReadonlyMap<string, CallPlace>,
    found: ReadonlyMap<string, CallPlace>,
  ): UnprovenValue[] {
    return [...found].filter(([place]) => !recorded.has(place) && isRelevant(place))
      .flatMap(([place, { text }]) =>
        this.#literals.among(text, call).filter(({ value }) =>
          this.#generator.recorded(value) === value
        )
          .map(({ value, producer }) => ({
            value,
            call: this.#session.nameOf(call),
            place,
            producer: this.#session.nameOfExchange(producer),
          }))
      );
  }

  #judgePlace(
    call: string,
    place: string,
    recordedPlace: CallPlace,
    sentPlace: CallPlace | undefined,
    user: MockUser,
  ): Omit<Comparison, "unproven"> {
    const differs = (recorded: string, sent: string | undefined) => (
      { stale: [], differing: [{ call, place, recorded, sent }] }
    );
    if (sentPlace === undefined) return differs(recordedPlace.text, undefined);
    const uses = (recordedPlace.field && this.#session.uses.get(recordedPlace.field)) ?? [];
    const regenerated = uses.filter(({ rawValue }) => user.has(rawValue));
    const old = this.#staleUses(recordedPlace.text, regenerated, sentPlace.text, user);
    if (old.length > 0) {
      return { stale: old.map(([use, why]) => this.#stale(use, why, call, place)), differing: [] };
    }
    if (sentPlace.numeric !== recordedPlace.numeric) {
      return differs(describeTyped(recordedPlace), describeTyped(sentPlace));
    }
    return this.#isAsRecorded(recordedPlace.text, regenerated, sentPlace.text, user)
      ? NO_DIFFERENCE
      : differs(recordedPlace.text, sentPlace.text);
  }

  #isAsRecorded(
    text: string,
    uses: readonly RawUsage[],
    sent: string,
    user: MockUser,
  ): boolean {
    if (sent === text || sent === withFreshValues(text, uses, user)) return true;
    return this.#generator.recorded(sent) === text ||
      (sent.includes(SECRET) && equalsWithSecrets(sent, text));
  }

  /**
   * Lists the usages whose value is stale. Returns an empty list if the sent text differs from the
   * recorded text outside the usages.
   */
  #staleUses(
    text: string,
    uses: readonly RawUsage[],
    sent: string,
    user: MockUser,
  ): [use: RawUsage, why: Staleness][] {
    if (uses.length === 0 || sent === withFreshValues(text, uses, user)) return [];
    const values = usagePattern(text, uses).exec(sent)?.slice(1) ?? [];
    return values.flatMap((value, i): [RawUsage, Staleness][] => {
      const why = this.#staleness(value, uses[i], user);
      return why === undefined ? [] : [[uses[i], why]];
    });
  }

  #staleness(value: string, use: RawUsage, user: MockUser): Staleness | undefined {
    if (value === use.field.value.slice(use.start, use.end)) return "as recorded";
    const generated = this.#generator.find(value);
    if (generated?.rawValue !== use.rawValue || value === freshValue(use, user)) return undefined;
    return generated.user === user.name ? "from an earlier response" : "another user's";
  }

  #stale(use: RawUsage, why: Staleness, call: string, place: string): StaleValue {
    const { value, producer, extractor } = use.serverValue;
    return {
      value,
      why,
      call,
      place,
      producer: this.#session.nameOf(producer),
      extractor,
      write: use.write,
    };
  }

  #staleCookies(call: string, sent: RecordedCall, user: MockUser): StaleValue[] {
    return parseSetCookies(sent).flatMap(([cookie, value]) => {
      const producer = this.#session.cookies.get(value);
      if (producer === undefined || !user.has(value)) return [];
      return [{
        value,
        why: "as recorded",
        call,
        place: `cookie ${cookie}`,
        producer: this.#session.nameOf(producer),
        extractor: undefined,
        write: "",
      }];
    });
  }
}

function parseSetCookies({ exchange }: RecordedCall): [name: string, value: string][] {
  return exchange.request.headers.filter(({ name }) => name.toLowerCase() === "cookie")
    .flatMap(({ value }) => [...value.matchAll(/([^=;\s]+)=([^;]*)/g)])
    .map(([, name, value]) => [name, value]);
}

function freshValue({ rawValue, serverValue }: RawUsage, user: MockUser): string {
  return encodeSent(user.valueOf(rawValue), serverValue.extractor.transform);
}

/** Returns the recorded text with the values at its usages replaced by the user's fresh values. */
function withFreshValues(text: string, uses: readonly RawUsage[], user: MockUser): string {
  return splitAtUsages(text, uses).map((piece, i) =>
    i === 0 ? piece : freshValue(uses[i - 1], user) + piece
  )
    .join("");
}

/**
 * Returns a regular expression that matches the recorded text with any value in place of each
 * usage. The expression has one capturing group per usage.
 */
function usagePattern(text: string, uses: readonly RawUsage[]): RegExp {
  return new RegExp(
    `^${splitAtUsages(text, uses).map((piece) => RegExp.escape(piece)).join("(.*?)")}$`,
    "s",
  );
}

/** Splits the recorded text at its usages. Returns one more piece than there are usages. */
function splitAtUsages(text: string, uses: readonly RawUsage[]): string[] {
  const ends = [0, ...uses.map(({ end }) => end)];
  return ends.map((end, i) => text.slice(end, uses[i]?.start));
}

/**
 * Reports whether the sent text equals the recorded text, apart from the placeholders of secrets.
 */
function equalsWithSecrets(sent: string, recorded: string): boolean {
  const around = sent.split(SECRET).map((piece) => RegExp.escape(piece));
  return new RegExp(`^${around.join(".+")}$`, "s").test(recorded);
}

function describeTyped({ text, numeric }: CallPlace): string {
  return `the ${numeric ? "number" : "text"} ${text}`;
}

function methodDifference(call: RecordedCall, sent: RecordedCall, name: string): Difference[] {
  const recorded = call.exchange.request.method.toUpperCase();
  const { method } = sent.exchange.request;
  return method === recorded ? [] : [{ call: name, place: "method", recorded, sent: method }];
}
