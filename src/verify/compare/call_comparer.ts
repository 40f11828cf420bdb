import type { Exchange } from "../../traffic/har/recording.ts";
import { type NameHint, nameHint } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { Assessor } from "../evidence/assess.ts";
import type { MockUser } from "../mock/mock_user.ts";
import { kindInKey } from "../names/id_origins.ts";
import { isPlaceKind } from "../names/id_name.ts";
import type { PlanRequest } from "../plan/plan_requests.ts";
import { SECRET } from "../plan/placeholder_secrets.ts";
import {
  type CallPlace,
  callPlaces,
  isHeader,
  isRelevant,
  placeName,
} from "../recorded/call_places.ts";
import type { RecordedSession } from "../session/recorded_session.ts";
import { cookiesOf } from "../recorded/request_cookies.ts";
import { suggestIdExtractor } from "../suggest/suggest_id_extractor.ts";
import { suggestExtractor } from "../suggest/suggest_extractor.ts";
import { fileNameAt, repeatedTexts, uniqueExample } from "../texts/repeated_texts.ts";
import type { FreshValues } from "../values/fresh_values.ts";
import { generatedValues } from "../values/generated_values.ts";
import type {
  Comparison,
  Difference,
  Staleness,
  StaleValue,
  UnprovenReason,
  UnprovenValue,
} from "./comparison.ts";
import { wholeValue } from "./whole_value.ts";

/** Maximum number of values for which the comparer looks for an extractor. */
const MOST_SUGGESTIONS = 300;

/** A request to compare with its recorded call. */
export interface ComparedRequest {
  readonly call: RecordedCall;
  readonly sent: RecordedCall;
  readonly user: MockUser;
  /** The request of the plan, or undefined if the request may come from any client. */
  readonly planned: PlanRequest | undefined;
  /**
   * True if literals of the plan are known, which means that all other values come from variables.
   */
  readonly hasPlan: boolean;
}

interface Findings {
  readonly stale: StaleValue[];
  readonly differing: Difference[];
  readonly unproven: UnprovenValue[];
}

/** Compares requests with their recorded calls. */
export class CallComparer {
  readonly #session: RecordedSession;
  readonly #values: FreshValues;
  readonly #kept: ReadonlySet<string>;
  readonly #constants: ReadonlySet<string>;
  readonly #assessor: Assessor;
  readonly #places = new Map<RecordedCall, ReadonlyMap<string, CallPlace>>();
  readonly #suggestions = new Map<string, Pick<StaleValue, "extractor" | "write">>();
  readonly #known = new Map<string, Omit<UnprovenValue, "call" | "place">>();

  /**
   * Creates a comparer. `kept` contains values that the mock server does not regenerate, and
   * `constants` contains those that `calibrate` found to be the same in recorded and live
   * responses.
   */
  constructor(
    session: RecordedSession,
    values: FreshValues,
    assessor: Assessor,
    kept: ReadonlySet<string>,
    constants: ReadonlySet<string> = new Set(),
  ) {
    this.#session = session;
    this.#values = values;
    this.#assessor = assessor;
    this.#kept = kept;
    this.#constants = constants;
  }

  /** Compares a request with its recorded call. */
  compare(request: ComparedRequest): Comparison {
    const { call, sent } = request;
    const found: Findings = { stale: [], differing: [], unproven: [] };
    const recordedPlaces = this.#recordedPlaces(call);
    const sentPlaces = callPlaces(sent, (name) => this.#values.recorded(name));
    this.#compareMethod(request, found);
    for (const [place, recorded] of recordedPlaces) {
      this.#comparePlace(request, place, recorded, sentPlaces.get(place), found);
    }
    for (const [place, { text }] of sentPlaces) {
      if (recordedPlaces.has(place)) continue;
      this.#findValues(request, place, undefined, text, found);
      if (isHeader(place)) continue;
      found.differing.push({ ...this.#at(call, place), recorded: undefined, sent: text });
    }
    this.#compareIds(request, sentPlaces, found);
    this.#compareTexts(request, sentPlaces, found);
    this.#compareCookies(request, found);
    return {
      sources: this.#sources(request),
      stale: distinct(found.stale),
      unproven: distinct(found.unproven),
      differing: found.differing.filter(({ place }) => isRelevant(place)),
    };
  }

  #recordedPlaces(call: RecordedCall): ReadonlyMap<string, CallPlace> {
    let places = this.#places.get(call);
    if (places === undefined) this.#places.set(call, places = callPlaces(call));
    return places;
  }

  #compareMethod({ call, sent }: ComparedRequest, { differing }: Findings): void {
    const recorded = call.exchange.request.method.toUpperCase();
    const { method } = sent.exchange.request;
    if (method !== recorded) {
      differing.push({ ...this.#at(call, "method"), recorded, sent: method });
    }
  }

  #comparePlace(
    request: ComparedRequest,
    place: string,
    recorded: CallPlace,
    sent: CallPlace | undefined,
    found: Findings,
  ): void {
    const { call, user, planned, hasPlan } = request;
    if (sent === undefined) {
      this.#findReplaced(request, place, recorded.text, "", found);
      found.differing.push({ ...this.#at(call, place), recorded: recorded.text, sent: undefined });
      return;
    }
    const problems = found.stale.length;
    this.#findValues(request, place, recorded.text, sent.text, found);
    if (sent.numeric !== recorded.numeric) {
      this.#findReplaced(request, place, recorded.text, sent.text, found);
      found.differing.push({
        ...this.#at(call, place),
        recorded: describeTyped(recorded),
        sent: describeTyped(sent),
      });
      return;
    }
    const back = this.#recordedText(sent.text, user);
    if (back === recorded.text || found.stale.length > problems) return;
    if (sent.text.includes(SECRET) && equalsWithSecrets(back, recorded.text)) return;
    const isReplaced = this.#findReplaced(request, place, recorded.text, sent.text, found);
    const isGenerated = planned === undefined
      ? !hasPlan && maskUuids(back) === maskUuids(recorded.text)
      : !planned.isLiteral(sent.text);
    if (!isReplaced && isGenerated) {
      if (this.#session.origins.finder.has(recorded.text)) user.replace(recorded.text, sent.text);
      learnReplacement(recorded.text, sent.text, user);
      return;
    }
    found.differing.push({
      ...this.#at(call, place),
      recorded: recorded.text,
      sent: sent.text,
    });
  }

  /**
   * Finds the values in one string of a sent request that are stale, and the literals of the plan
   * in it that are unproven.
   */
  #findValues(
    request: ComparedRequest,
    place: string,
    recorded: string | undefined,
    sent: string,
    found: Findings,
  ): void {
    const { call, user, planned, hasPlan } = request;
    if (!isRelevant(place)) return;
    const isWeak = isReport(call);
    for (const fresh of this.#values.find(sent)) {
      if (fresh.value === user.current(fresh.key)) continue;
      const why = fresh.user === user.name ? "from an earlier response" : "another user's";
      this.#addFound(request, place, sent, fresh.recorded, why, isWeak, found);
    }
    const random = randomValues(recorded ?? "");
    for (const { value } of this.#session.origins.finder.find(sent)) {
      if (hasPlan && !(planned?.isLiteral(value) ?? false)) continue;
      if (this.#session.origins.isServerMade(value)) {
        this.#addFound(request, place, sent, value, "as recorded", isWeak, found);
      } else if (random.has(value)) {
        if (place === "header content-type" || isWeak) continue;
        const { origins } = this.#session;
        const holder = origins.holderBefore(value, call);
        const reason = holder === undefined ? "random" : "response";
        this.#addUnproven(request, place, sent, value, reason, holder, found);
      }
    }
  }

  /**
   * Adds to `found` a server-generated value that a request sends: as stale if the user has a newer
   * value, or as unproven if the recording does not show whether the value is right.
   */
  #addFound(
    request: ComparedRequest,
    place: string,
    text: string,
    value: string,
    why: Staleness,
    isWeak: boolean,
    found: Findings,
  ): void {
    const { call, user } = request;
    const holder = this.#session.origins.holderBefore(value, call);
    if (holder === undefined || this.#constants.has(value)) return;
    const assessment = this.#assessor.assess(value, holder, place);
    const isRegenerated = user.has(value) && !this.#kept.has(value);
    const isStale = isRegenerated && !isWeak && !this.#followsCookie(request, place, value);
    if (assessment === "fresh" && isStale) {
      found.stale.push(this.#stale(call, place, text, value, why, holder));
    } else if (why === "as recorded") {
      const reason = assessment === "constant" ? "constant" : "response";
      this.#addUnproven(request, place, text, value, reason, holder, found);
    }
  }

  /**
   * Reports whether a value is a parameter of a path, such as `;jsessionid=`, and the request sends
   * the fresh value in a cookie. Servers then use the cookie and ignore the path.
   */
  #followsCookie({ sent, user }: ComparedRequest, place: string, value: string): boolean {
    if (!place.startsWith("path segment")) return false;
    const { url } = sent.exchange.request;
    if (!new RegExp(`;[\\w.-]+=${RegExp.escape(value)}(?:[;.?/#]|$)`).test(url)) return false;
    return cookiesOf(sent.exchange.request).some(([, cookie]) =>
      this.#values.find(cookie).some((fresh) =>
        fresh.recorded === value && fresh.value === user.current(fresh.key)
      )
    );
  }

  /**
   * Finds short ids that the request sends with their recorded values, or with the values of other
   * objects.
   */
  #compareIds(
    request: ComparedRequest,
    sentPlaces: ReadonlyMap<string, CallPlace>,
    found: Findings,
  ): void {
    const { call, user, planned, hasPlan } = request;
    const { ids } = this.#session;
    for (const id of ids.sentBy(call)) {
      const { place, value } = id;
      const sent = sentPlaces.get(place)?.text;
      if (sent === undefined || this.#kept.has(value)) continue;
      const sources = ids.sourcesOf(id, call).filter(({ key }) => user.has(key));
      if (sources.length === 0) continue;
      const [{ exchange, name, agreement }] = sources;
      this.#suggestId(value, exchange, name, place);
      if (sent === value) {
        if (hasPlan && !(planned?.isWholeLiteral(value) ?? false)) continue;
        const isStale = agreement === "strong" &&
          this.#assessor.assessId(value, exchange, place) === "fresh";
        if (isStale) {
          found.stale.push(this.#stale(call, place, sent, value, "as recorded", exchange));
        } else if (agreement !== "weak" || isWrite(call)) {
          this.#addUnproven(request, place, sent, value, "response", exchange, found);
        }
        continue;
      }
      const [fresh] = this.#values.find(sent);
      if (fresh?.recorded !== value || fresh.value !== sent || agreement !== "strong") continue;
      const kind = kindInKey(fresh.key);
      if (id.kind === "" || kind === "" || kind === id.kind || isPlaceKind(id.kind)) continue;
      if (sources.some(({ key, agreement }) => key === fresh.key && agreement === "strong")) {
        continue;
      }
      this.#addUnproven(request, place, value, value, "other object", exchange, found);
    }
  }

  /**
   * Finds strings that the recorded user typed and that the plan sends unchanged in each iteration.
   */
  #compareTexts(
    request: ComparedRequest,
    sentPlaces: ReadonlyMap<string, CallPlace>,
    found: Findings,
  ): void {
    const { call, sent, planned } = request;
    if (planned === undefined) return;
    const same = repeatedTexts(
      this.#session.texts.in(call),
      (place) => sentPlaces.get(place)?.text ?? fileNameAt(place, sent),
    );
    for (const { place, text } of same) {
      if (!planned.isLiteral(text) && !planned.isWholeLiteral(text)) continue;
      this.#addUnproven(request, place, text, text, "same text", undefined, found);
    }
  }

  #addUnproven(
    { call }: ComparedRequest,
    place: string,
    text: string,
    part: string,
    reason: UnprovenReason,
    holder: Exchange | undefined,
    { unproven }: Findings,
  ): void {
    const key = JSON.stringify([call.order, place, part, reason]);
    let known = this.#known.get(key);
    if (known === undefined) {
      const value = wholeValue(text, part, holder);
      known = {
        value,
        reason,
        producer: holder && this.#session.nameOfExchange(holder),
        ...(holder ? this.#suggest(value, holder, place) : NO_SUGGESTION),
        ...(reason === "same text" && { write: uniqueExample(value) }),
      };
      this.#known.set(key, known);
    }
    unproven.push({ ...known, ...this.#at(call, place) });
  }

  #stale(
    call: RecordedCall,
    place: string,
    text: string,
    part: string,
    why: Staleness,
    holder: Exchange,
  ): StaleValue {
    const value = why === "as recorded" ? wholeValue(text, part, holder) : part;
    return {
      value,
      why,
      ...this.#at(call, place),
      producer: this.#session.nameOfExchange(holder),
      ...this.#suggest(value, holder, place),
    };
  }

  #suggest(
    value: string,
    holder: Exchange,
    place: string,
  ): Pick<StaleValue, "extractor" | "write"> {
    if (place.startsWith("cookie ")) return NO_SUGGESTION;
    const key = `${holder.index} ${value}`;
    let known = this.#suggestions.get(key);
    if (known === undefined) {
      const extractor = this.#suggestions.size < MOST_SUGGESTIONS
        ? suggestExtractor(value, holder, placeName(place))
        : undefined;
      known = { extractor, write: extractor ? `\${${extractor.name}}` : "" };
      this.#suggestions.set(key, known);
    }
    return known;
  }

  /** Searches for an extractor of a short id, and stores the result for `#suggest`. */
  #suggestId(value: string, holder: Exchange, name: string, place: string): void {
    const key = `${holder.index} ${value}`;
    if (this.#suggestions.has(key) || this.#suggestions.size >= MOST_SUGGESTIONS) return;
    const extractor = suggestIdExtractor(value, holder, name, placeName(place));
    this.#suggestions.set(key, { extractor, write: extractor ? `\${${extractor.name}}` : "" });
  }

  /**
   * Finds server-generated values of the recorded text that the sent text contains neither
   * unchanged nor as fresh values. Returns true if it finds any.
   */
  #findReplaced(
    request: ComparedRequest,
    place: string,
    recorded: string,
    sent: string,
    found: Findings,
  ): boolean {
    const { call, user } = request;
    if (!isRelevant(place)) return false;
    const back = this.#recordedText(sent, user);
    let isReplaced = false;
    for (const { value } of this.#session.origins.finder.find(recorded)) {
      if (back.includes(value) || !this.#session.origins.isServerMade(value)) continue;
      const holder = this.#session.origins.holderBefore(value, call);
      if (holder === undefined || !user.has(value)) continue;
      isReplaced = true;
      this.#addUnproven(request, place, recorded, value, "other value", holder, found);
    }
    return isReplaced;
  }

  /** Returns the exchanges whose responses first contained the values that the request sends. */
  #sources({ sent, user }: ComparedRequest): Set<Exchange> {
    const texts = [
      ...[...callPlaces(sent).values()].map(({ text }) => text),
      ...cookiesOf(sent.exchange.request).map(([, text]) => text),
    ];
    const fresh = texts.flatMap((text) => this.#values.find(text))
      .filter(({ value, key }) => value === user.current(key));
    const { origins, ids } = this.#session;
    return new Set(fresh.map(({ key }) => ids.firstHolder(key) ?? origins.of(key)!.holders[0]));
  }

  /** Replaces the current fresh values of a user in `text` with the recorded ones. */
  #recordedText(text: string, user: MockUser): string {
    let [recorded, done] = ["", 0];
    for (const { start, end, value, key, recorded: original } of this.#values.find(text)) {
      if (value !== user.current(key)) continue;
      recorded += text.slice(done, start) + original;
      done = end;
    }
    return recorded + text.slice(done);
  }

  /**
   * Finds cookies that the plan contains as literals, and recorded session cookies that neither the
   * request nor any response contains.
   */
  #compareCookies(request: ComparedRequest, found: Findings): void {
    const { call, sent, planned, hasPlan } = request;
    const present = new Set<string>();
    for (const [cookie, text] of cookiesOf(sent.exchange.request)) {
      present.add(cookie);
      for (const { value } of this.#session.origins.finder.find(text)) {
        if (hasPlan && !(planned?.isLiteral(value) ?? false)) continue;
        if (!this.#session.origins.isServerMade(value)) continue;
        this.#addFound(request, `cookie ${cookie}`, text, value, "as recorded", false, found);
      }
    }
    for (const [cookie, text] of cookiesOf(call.exchange.request)) {
      if (present.has(cookie) || !isSessionCookie(nameHint(cookie))) continue;
      const [first] = generatedValues(text);
      if (first === undefined || this.#session.origins.of(first.value)?.holders.length) continue;
      this.#addUnproven(request, `cookie ${cookie}`, text, text, "cookie", undefined, found);
    }
  }

  #at(call: RecordedCall, place: string): { call: string; place: string } {
    return { call: this.#session.nameOf(call), place };
  }
}

const NO_SUGGESTION = { extractor: undefined, write: "" } as const;

/**
 * Reports whether a call is a report that the browser itself made, such as a violation of a content
 * security policy.
 */
function isReport({ body }: RecordedCall): boolean {
  return /csp-report|reports\+json/.test(body?.contentType ?? "");
}

function isWrite(call: RecordedCall): boolean {
  return !["GET", "HEAD", "OPTIONS"].includes(methodOf(call));
}

function isSessionCookie({ dynamic, surely }: NameHint): boolean {
  return dynamic || surely;
}

/** Returns the values in `text` that look random, even if no response contains them. */
function randomValues(text: string): Set<string> {
  const found = generatedValues(text).filter(({ kind }) =>
    kind !== "number" && kind !== "timestamp"
  );
  return new Set(found.map(({ value }) => value));
}

/** Replaces the UUIDs in a string with `*`, because any client may generate new ones. */
function maskUuids(text: string): string {
  return text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, "*");
}

/**
 * Records that the plan sends `sent` in place of recorded text that the client generates, so that
 * responses repeat `sent`.
 */
function learnReplacement(recorded: string, sent: string, user: MockUser): void {
  const before = generatedValues(recorded);
  const after = generatedValues(sent);
  if (before.length !== after.length) return;
  before.forEach(({ value }, i) => user.replace(value, after[i].value));
}

/** Removes duplicate findings. */
function distinct<Finding extends object>(findings: readonly Finding[]): Finding[] {
  if (findings.length < 2) return [...findings];
  return [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
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
