import { haveCommonWord, resourceWords } from "../correlation/words.ts";
import {
  type CallPlace,
  callPlaces,
  compareRequests,
  isHeader,
  isRelevant,
  type PlaceDifference,
  placeName,
  type SentValues,
} from "../outcome/compare_requests.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { cookiesOf } from "../traffic/session/headers.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { changesData, isSafeMethod } from "../traffic/session/changes_data.ts";
import { isConstantName, judgeSentValue } from "./assess.ts";
import {
  type ComparedRequest,
  type ComparedSession,
  type Comparison,
  FindingCollector,
} from "./findings.ts";
import { generatedValues } from "./generated_values.ts";
import type { MockUser } from "./mock_server.ts";
import { type PlanRequest, SECRET } from "./plan_requests.ts";
import { containsId, deletesRow, type SentId } from "./id_places.ts";
import { type IdSource, isParameter, kindOf } from "./linked_ids.ts";
import { ServerValueComparer } from "./server_values.ts";
import { repeatedTexts } from "./typed_texts.ts";
import { isPushed } from "./value_origins.ts";

export class CallComparer {
  readonly #compared: ComparedSession;
  readonly #findings: FindingCollector;
  readonly #serverValues: ServerValueComparer;

  constructor(compared: ComparedSession) {
    this.#compared = compared;
    this.#findings = new FindingCollector(compared);
    this.#serverValues = new ServerValueComparer(compared, this.#findings);
  }

  compare(request: ComparedRequest): Comparison {
    const { call, sent, found } = request;
    const recordedPlaces = callPlaces(call);
    const sentPlaces = callPlaces(sent, (name) => this.#compared.values.recorded(name));
    this.#compareMethod(request);
    for (const [place, { text, isFile }] of sentPlaces) {
      if (isFile) continue;
      this.#serverValues.findValues(request, place, recordedPlaces.get(place)?.text, text);
    }
    const stale = new Set(found.stale.map(({ place }) => place));
    // Places whose names contain a secret have no recorded place of that name.
    const areNamed = ![...sentPlaces].some(([place, { text }]) =>
      place.includes(SECRET) || (place === "body" && text.includes(SECRET))
    );
    for (const difference of compareRequests(recordedPlaces, sentPlaces, this.#values(request))) {
      const { place, recorded, sent: other, kind } = difference;
      if (!areNamed && (recorded === undefined || other === undefined)) continue;
      if (kind === "added" && isHeader(place)) continue;
      if (mayDiffer(request, difference) || (stale.has(place) && kind !== "type")) continue;
      this.#addDifference(request, difference);
    }
    this.#compareIds(request, sentPlaces);
    this.#compareTexts(request, sentPlaces);
    if (deletesRow(call)) this.#findPositions(request, sentPlaces);
    this.#serverValues.compareCookies(request);
    return {
      sources: this.#sources(request),
      stale: distinct(found.stale),
      unproven: distinct(found.unproven),
      differing: found.differing.filter(({ place }) => isRelevant(place)),
    };
  }

  #compareMethod({ call, sent, found }: ComparedRequest): void {
    const recorded = call.exchange.request.method.toUpperCase();
    const { method } = sent.exchange.request;
    if (method !== recorded) {
      found.differing.push({ ...this.#at(call, "method"), recorded, sent: method });
    }
  }

  #values(request: ComparedRequest): SentValues {
    const { user, planned, hasPlan } = request;
    const { extracted, values } = this.#compared;
    const recordedText = (text: string) => this.#serverValues.recordedText(text, user);
    return {
      isSame: (recorded, sent) => {
        const back = recordedText(sent);
        return back === recorded || (sent.includes(SECRET) && equalsWithSecrets(back, recorded));
      },
      isOther: (recorded, sent) =>
        extracted.has(sent) ||
        values.find(sent).some((fresh) =>
          fresh.value === sent ? fresh.recorded !== recorded : !recorded.includes(fresh.recorded)
        ),
      isLiteral: (sent, recorded) =>
        planned === undefined
          ? hasPlan || maskUuids(recordedText(sent)) !== maskUuids(recorded)
          : planned.isLiteral(sent),
    };
  }

  #addDifference(
    request: ComparedRequest,
    { place, recorded, sent, kind }: PlaceDifference,
  ): void {
    const isReplaced = recorded !== undefined && this.#serverValues
      .findReplaced(request, place, recorded.text, sent?.text ?? "");
    if (kind === "variable") {
      if (!isReplaced) this.#learnReplacement(recorded!.text, sent!.text, request.user);
      return;
    }
    const describe = (at: CallPlace | undefined) =>
      at && (kind === "type" ? describeTyped(at) : at.text);
    const { call, found } = request;
    found.differing.push({
      ...this.#at(call, place),
      recorded: describe(recorded),
      sent: describe(sent),
    });
  }

  /**
   * Records that the plan sends `sent` in place of recorded text that the client generates, so that
   * responses repeat `sent`.
   */
  #learnReplacement(recorded: string, sent: string, user: MockUser): void {
    if (this.#compared.session.origins.finder.has(recorded)) user.replace(recorded, sent);
    const before = generatedValues(recorded);
    const after = generatedValues(sent);
    if (before.length !== after.length) return;
    before.forEach(({ value }, i) => user.replace(value, after[i].value));
  }

  #compareTexts(
    request: ComparedRequest,
    sentPlaces: ReadonlyMap<string, CallPlace>,
  ): void {
    const { call, planned } = request;
    if (planned === undefined) return;
    const same = repeatedTexts(
      this.#compared.session.texts.in(call),
      (place) => sentPlaces.get(place)?.text,
    );
    for (const { place, text } of same) {
      if (!planned.isLiteral(text)) continue;
      this.#findings.addUnproven(request, "same text", { place, text, part: text });
    }
  }

  #compareIds(
    request: ComparedRequest,
    sentPlaces: ReadonlyMap<string, CallPlace>,
  ): void {
    const { call, user, planned, hasPlan } = request;
    const { session, values, kept, constants, extracted } = this.#compared;
    const { ids } = session;
    const unproven = new Set(request.found.unproven.map(({ place }) => place));
    for (const id of ids.sentBy(call)) {
      const { place, value } = id;
      const sent = sentPlaces.get(place)?.text;
      if (sent === undefined || constants.has(value)) continue;
      const isKept = kept.has(value);
      const sources = ids.sourcesOf(id, call).filter(({ key }) => isKept || user.has(key))
        .map((source) => ({ ...source, isSure: source.isSure || this.#isOfPlan(source, place) }))
        .sort((a, b) => Number(b.isSure) - Number(a.isSure));
      if (sources.length === 0) continue;
      const [source] = sources;
      const { exchange, isSure } = source;
      const suspect = { place, text: sent, part: value, holder: exchange, source };
      if (containsId(id, sent)) {
        if (hasPlan && !isPlanned(id, planned)) continue;
        const sure = sources.filter(({ isSure }) => isSure);
        const verdict = judgeSentValue({
          assessment: isConstantName(placeName(place)) ? "constant" : "object",
          isReplaced: !isKept,
          isSure,
          // One digit in the address of the next page may also be the number of a message.
          isNew: sure.some(({ key, source }) =>
            !(value.length === 1 && isParameter(source)) &&
            session.isNew(session.origins.of(key)!.holders[0])
          ),
          isExtracted: sure.some(({ key }) => extracted.has(key)),
          mayBeStale: isSure || !isSafeMethod(methodOf(call)) || changesData(exchange) ||
            isPushed(exchange),
        });
        if (verdict === "stale") {
          this.#findings.addStale(request, "as recorded", suspect);
        } else if (verdict === "unproven" && !unproven.has(place)) {
          this.#findings.addUnproven(request, "response", suspect);
        }
        continue;
      }
      const [fresh] = values.find(sent);
      const isOther = fresh?.recorded === value && fresh.value === sent && isSure &&
        !sources.some(({ key, isSure }) => isSure && key === fresh.key);
      if (isOther) {
        this.#findings.addUnproven(request, "other object", { ...suspect, text: value });
      }
    }
  }

  /**
   * Reports whether the plan extracts an id that a write created, and the place names its resource,
   * as the members do in `json $.category.connect.id`.
   */
  #isOfPlan({ key, source }: IdSource, place: string): boolean {
    const { session, extracted } = this.#compared;
    return extracted.has(key) && session.isNew(session.origins.of(key)!.holders[0]) &&
      haveCommonWord(kindOf(source), resourceWords(place));
  }

  #findPositions(
    request: ComparedRequest,
    sentPlaces: ReadonlyMap<string, CallPlace>,
  ): void {
    const { user, planned } = request;
    const { values, extracted, session } = this.#compared;
    for (const [place, { text }] of sentPlaces) {
      for (const { key, value, recorded } of values.find(text)) {
        if (value !== user.current(key)) continue;
        const variable = extracted.get(key)
          ?.find(({ name, isByPosition }) => isByPosition && planned?.uses(name));
        const list = variable && session.byEntry.get(variable.entry)?.exchange;
        if (list === undefined) continue;
        this.#findings.addUnproven(request, "position", {
          place,
          text: recorded,
          part: recorded,
          holder: list,
        });
      }
    }
  }

  #sources({ sent, user }: ComparedRequest): Set<Exchange> {
    const texts = [
      ...[...callPlaces(sent).values()].map(({ text }) => text),
      ...cookiesOf(sent.exchange.request).map(([, text]) => text),
    ];
    const fresh = texts.flatMap((text) => this.#compared.values.find(text))
      .filter(({ value, key }) => value === user.current(key));
    const { origins } = this.#compared.session;
    return new Set(fresh.map(({ key }) => origins.of(key)!.holders[0]));
  }

  #at(call: RecordedCall, place: string): { call: string; place: string } {
    return { call: this.#compared.session.nameOf(call), place };
  }
}

/** Reports whether a difference may be right, because the recorded body is missing or cut. */
function mayDiffer(
  { call: { exchange: { request } }, sent }: ComparedRequest,
  { place, sent: other, kind }: PlaceDifference,
): boolean {
  if (request.bodyMissing !== true || /^(?:path|query|header) /.test(place)) return false;
  // The body was not rebuilt, so the plan must contain another one.
  if (other === undefined) return !request.bodyRebuilt && sent.body !== undefined;
  return kind !== "empty";
}

function maskUuids(text: string): string {
  return text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, "*");
}

function distinct<Finding extends object>(findings: readonly Finding[]): Finding[] {
  if (findings.length < 2) return [...findings];
  return [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
}

function equalsWithSecrets(sent: string, recorded: string): boolean {
  const around = sent.split(SECRET).map((piece) => RegExp.escape(piece));
  return new RegExp(`^${around.join(".+")}$`, "s").test(recorded);
}

function describeTyped({ text, numeric }: CallPlace): string {
  return `the ${numeric ? "number" : "text"} ${text}`;
}

function isPlanned({ value, written }: SentId, planned: PlanRequest | undefined): boolean {
  if (planned === undefined) return false;
  return planned.wholeLiterals(value) > 0 || (written !== value && planned.isLiteral(written));
}
