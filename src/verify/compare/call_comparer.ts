import { cookiesOf } from "../../traffic/session/headers.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { MockUser } from "../mock/mock_user.ts";
import { SECRET } from "../plan/placeholder_secrets.ts";
import { type CallPlace, callPlaces, isHeader, isRelevant } from "../recorded/call_places.ts";
import { repeatedTexts } from "../texts/repeated_texts.ts";
import { generatedValues } from "../values/generated_values.ts";
import type { ComparedRequest, ComparedSession, Findings } from "./compared_request.ts";
import type { Comparison } from "./comparison.ts";
import { FindingCollector } from "./finding_collector.ts";
import { IdComparer } from "./id_comparer.ts";
import { ServerValueComparer } from "./server_value_comparer.ts";

/** Compares requests with their recorded calls. */
export class CallComparer {
  readonly #compared: ComparedSession;
  readonly #findings: FindingCollector;
  readonly #serverValues: ServerValueComparer;
  readonly #ids: IdComparer;
  readonly #places = new Map<RecordedCall, ReadonlyMap<string, CallPlace>>();

  constructor(compared: ComparedSession) {
    this.#compared = compared;
    this.#findings = new FindingCollector(compared.session);
    this.#serverValues = new ServerValueComparer(compared, this.#findings);
    this.#ids = new IdComparer(compared, this.#findings);
  }

  /** Compares a request with its recorded call. */
  compare(request: ComparedRequest): Comparison {
    const { call, sent } = request;
    const found: Findings = { stale: [], differing: [], unproven: [] };
    const recordedPlaces = this.#recordedPlaces(call);
    const sentPlaces = callPlaces(sent, (name) => this.#compared.values.recorded(name));
    this.#compareMethod(request, found);
    // Places whose names contain a secret have no recorded place of that name.
    const isNamed = ([place, { text }]: [string, CallPlace]) =>
      !place.includes(SECRET) && !(place === "body" && text.includes(SECRET));
    const areNamed = [...sentPlaces].every(isNamed);
    for (const [place, recorded] of recordedPlaces) {
      const sent = sentPlaces.get(place);
      if (sent === undefined && !areNamed) continue;
      this.#comparePlace(request, place, recorded, sent, found);
    }
    for (const [place, { text }] of sentPlaces) {
      if (recordedPlaces.has(place)) continue;
      this.#serverValues.findValues(request, place, undefined, text, found);
      if (isHeader(place) || !areNamed || mayDiffer(call, place)) continue;
      found.differing.push({ ...this.#at(call, place), recorded: undefined, sent: text });
    }
    this.#ids.compare(request, sentPlaces, found);
    this.#compareTexts(request, sentPlaces, found);
    this.#serverValues.compareCookies(request, found);
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
      // The body was not rebuilt, so the plan must contain another one.
      const isOther = !call.exchange.request.bodyRebuilt && request.sent.body !== undefined;
      if (isOther && mayDiffer(call, place)) return;
      this.#serverValues.findReplaced(request, place, recorded.text, "", found);
      found.differing.push({ ...this.#at(call, place), recorded: recorded.text, sent: undefined });
      return;
    }
    const problems = found.stale.length;
    this.#serverValues.findValues(request, place, recorded.text, sent.text, found);
    if (sent.numeric !== recorded.numeric && !mayDiffer(call, place)) {
      this.#serverValues.findReplaced(request, place, recorded.text, sent.text, found);
      found.differing.push({
        ...this.#at(call, place),
        recorded: describeTyped(recorded),
        sent: describeTyped(sent),
      });
      return;
    }
    const back = this.#serverValues.recordedText(sent.text, user);
    if (back === recorded.text || found.stale.length > problems) return;
    if (mayDiffer(call, place) && sent.text !== "") return;
    if (sent.text.includes(SECRET) && equalsWithSecrets(back, recorded.text)) return;
    const isReplaced = this.#serverValues.findReplaced(
      request,
      place,
      recorded.text,
      sent.text,
      found,
    );
    const isGenerated = planned === undefined
      ? !hasPlan && maskUuids(back) === maskUuids(recorded.text)
      : !planned.isLiteral(sent.text);
    if (isGenerated && !this.#isOfAnother(recorded.text, sent.text)) {
      if (isReplaced) return;
      if (this.#compared.session.origins.finder.has(recorded.text)) {
        user.replace(recorded.text, sent.text);
      }
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
   * Reports whether sent text is a value that the plan extracts for another place, or contains the
   * fresh value of a value that was not recorded there.
   */
  #isOfAnother(recorded: string, sent: string): boolean {
    return this.#compared.extracted.has(sent) ||
      this.#compared.values.find(sent).some((fresh) =>
        fresh.value === sent ? fresh.recorded !== recorded : !recorded.includes(fresh.recorded)
      );
  }

  /**
   * Finds strings that the recorded user typed and that the plan sends unchanged in each iteration.
   */
  #compareTexts(
    request: ComparedRequest,
    sentPlaces: ReadonlyMap<string, CallPlace>,
    found: Findings,
  ): void {
    const { call, planned } = request;
    if (planned === undefined) return;
    const same = repeatedTexts(
      this.#compared.session.texts.in(call),
      (place) => sentPlaces.get(place)?.text,
    );
    for (const { place, text } of same) {
      if (!planned.isLiteral(text) && !planned.isWholeLiteral(text)) continue;
      this.#findings.addUnproven(request, place, text, text, "same text", undefined, found);
    }
  }

  /** Returns the exchanges whose responses first contained the fresh values of a request. */
  #sources({ sent, user }: ComparedRequest): Set<Exchange> {
    const texts = [
      ...[...callPlaces(sent).values()].map(({ text }) => text),
      ...cookiesOf(sent.exchange.request).map(([, text]) => text),
    ];
    const fresh = texts.flatMap((text) => this.#compared.values.find(text))
      .filter(({ value, key }) => value === user.current(key));
    const { origins, ids } = this.#compared.session;
    return new Set(fresh.map(({ key }) => ids.firstHolder(key) ?? origins.of(key)!.holders[0]));
  }

  #at(call: RecordedCall, place: string): { call: string; place: string } {
    return { call: this.#compared.session.nameOf(call), place };
  }
}

/**
 * Reports whether the value at a place may differ from the recorded one, because the place is in a
 * body that the recording lacks or of which it contains only a part.
 */
function mayDiffer({ exchange: { request } }: RecordedCall, place: string): boolean {
  return request.bodyMissing === true && !/^(?:path|query|header) /.test(place);
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
