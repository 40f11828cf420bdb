import { expressionFor } from "../convert/correlate/sendings.ts";
import type { Draft } from "../convert/correlate/draft.ts";
import { formatExpression } from "../plan/template.ts";
import { callPlaces, matters } from "./call_places.ts";
import { sentForm } from "./forms.ts";
import type { Journey, Use } from "./journey.ts";
import type { Mint } from "./mint.ts";
import { SECRET } from "./secrets.ts";
import type { User } from "./user.ts";
import type { Difference, Staleness, StaleValue } from "./verification.ts";

/** What is wrong with one request. */
export interface Judgement {
  readonly stale: readonly StaleValue[];
  readonly differing: readonly Difference[];
}

/** Compares requests with the recorded calls that they are meant to be. */
export class Judge {
  readonly #journey: Journey;
  readonly #mint: Mint;

  constructor(journey: Journey, mint: Mint) {
    this.#journey = journey;
    this.#mint = mint;
  }

  /** Judges what `user` sent as `call`. */
  judge(call: Draft, sent: Draft, user: User): Judgement {
    const stale: StaleValue[] = [];
    const differing: Difference[] = [];
    const name = this.#journey.nameOf(call);
    const recorded = callPlaces(call);
    const found = callPlaces(sent);
    const differ = (place: string, was: string | undefined, is: string | undefined) => {
      if (matters(place)) differing.push({ call: name, place, recorded: was, sent: is });
    };
    const method = call.exchange.request.method.toUpperCase();
    if (method !== sent.exchange.request.method) {
      differ("method", method, sent.exchange.request.method);
    }
    for (const [place, { text, slot, numeric }] of recorded) {
      const is = found.get(place);
      if (is === undefined) {
        differ(place, text, undefined);
        continue;
      }
      const uses = ((slot && this.#journey.uses.get(slot)) ?? []).filter(({ plain }) =>
        user.has(plain)
      );
      const old = this.#staleUses(text, uses, is.text, user);
      stale.push(...old.map(([use, why]) => this.#stale(use, why, name, place)));
      if (old.length > 0) continue;
      if (is.numeric !== numeric) differ(place, ...typed(text, numeric, is.text, is.numeric));
      else if (!this.#isAsRecorded(text, uses, is.text, user)) differ(place, text, is.text);
    }
    for (const [place, { text }] of found) {
      if (!recorded.has(place) && !place.startsWith("header ")) differ(place, undefined, text);
    }
    return { stale: [...stale, ...this.#staleCookies(call, sent, user)], differing };
  }

  #isAsRecorded(text: string, uses: readonly Use[], sent: string, user: User): boolean {
    if (sent === text || sent === expected(text, uses, user)) return true;
    return this.#mint.recorded(sent) === text || (sent.includes(SECRET) && fits(sent, text));
  }

  /** The uses that were sent as they were before; none where the text is quite another. */
  #staleUses(
    text: string,
    uses: readonly Use[],
    sent: string,
    user: User,
  ): [use: Use, why: Staleness][] {
    if (uses.length === 0 || sent === expected(text, uses, user)) return [];
    const values = pattern(text, uses).exec(sent)?.slice(1) ?? [];
    return values.flatMap((value, i): [Use, Staleness][] => {
      const why = this.#staleness(value, uses[i], user);
      return why === undefined ? [] : [[uses[i], why]];
    });
  }

  #staleness(value: string, use: Use, user: User): Staleness | undefined {
    if (value === use.slot.value.slice(use.start, use.end)) return "as recorded";
    const minted = this.#mint.find(value);
    if (minted?.plain !== use.plain || value === freshOf(use, user)) return undefined;
    return minted.user === user.name ? "from an earlier answer" : "another user's";
  }

  #stale(use: Use, why: Staleness, call: string, place: string): StaleValue {
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

  #staleCookies(call: Draft, sent: Draft, user: User): StaleValue[] {
    return cookiesOf(sent).flatMap(([cookie, value]) => {
      const producer = this.#journey.cookies.get(value);
      if (producer === undefined || !user.has(value)) return [];
      return [{
        value,
        why: "as recorded",
        call: this.#journey.nameOf(call),
        place: `cookie ${cookie}`,
        producer: this.#journey.nameOf(producer),
        extractor: undefined,
        write: "",
      }];
    });
  }
}

function cookiesOf({ exchange }: Draft): [name: string, value: string][] {
  return exchange.request.headers.filter(({ name }) => name.toLowerCase() === "cookie")
    .flatMap(({ value }) => [...value.matchAll(/([^=;\s]+)=([^;]*)/g)])
    .map(([, name, value]) => [name, value]);
}

function freshOf({ plain, variable }: Use, user: User): string {
  return sentForm(user.valueOf(plain), variable.extractor.transform);
}

/** The recorded text with the user's values in it. */
function expected(text: string, uses: readonly Use[], user: User): string {
  return pieces(text, uses).map((piece, i) => i === 0 ? piece : freshOf(uses[i - 1], user) + piece)
    .join("");
}

/** Matches what is as the text but for the values at the uses, which are its groups. */
function pattern(text: string, uses: readonly Use[]): RegExp {
  return new RegExp(
    `^${pieces(text, uses).map((piece) => RegExp.escape(piece)).join("(.*?)")}$`,
    "s",
  );
}

/** What stands around the uses: one piece more than there are. */
function pieces(text: string, uses: readonly Use[]): string[] {
  const ends = [0, ...uses.map(({ end }) => end)];
  return ends.map((end, i) => text.slice(end, uses[i]?.start));
}

/** Whether a text with secrets in it may be the recorded one. */
function fits(sent: string, recorded: string): boolean {
  const around = sent.split(SECRET).map((piece) => RegExp.escape(piece));
  return new RegExp(`^${around.join(".+")}$`, "s").test(recorded);
}

function typed(
  was: string,
  wasNumber: boolean,
  is: string,
  isNumber: boolean,
): [recorded: string, sent: string] {
  const kind = (isNumber: boolean) => isNumber ? "the number" : "the text";
  return [`${kind(wasNumber)} ${was}`, `${kind(isNumber)} ${is}`];
}
