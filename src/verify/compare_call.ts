import { UUID } from "../base/random.ts";
import {
  type CallPlace,
  type CallPlaces,
  callPlaces,
  compareRequests,
  isHeader,
  isRelevant,
  type PlaceDifference,
  type SentValues,
} from "../outcome/compare_requests.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { replaceBase64 } from "../traffic/session/base64_text.ts";
import { cookiesOf } from "../traffic/session/headers.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  type ComparedRequest,
  type ComparedSession,
  FindingCollector,
  type RequestFindings,
} from "./findings.ts";
import { generatedValues } from "./generated_values.ts";
import type { MockUser } from "./mock_server.ts";
import { SECRET } from "./plan_requests.ts";
import { deletesRow } from "./short_ids.ts";
import type { TypedText } from "./typed_texts.ts";
import type { Origins } from "./value_origins.ts";
import { ValueJudge } from "./value_judge.ts";

/** Compares requests with their recorded calls, place by place. */
export class CallComparer {
  readonly #compared: ComparedSession;
  readonly #origins: Origins;
  readonly #findings: FindingCollector;
  readonly #judge: ValueJudge;

  constructor(compared: ComparedSession) {
    this.#compared = compared;
    this.#origins = compared.session.origins;
    this.#findings = new FindingCollector(compared);
    this.#judge = new ValueJudge(compared, this.#findings);
  }

  compare(request: ComparedRequest): RequestFindings {
    const { call, sent, found } = request;
    const recordedPlaces = callPlaces(call);
    const places = callPlaces(sent, (name) => this.#compared.values.recorded(name));
    for (const [place, { text, isFile }] of places) {
      if (isFile || !isRelevant(place)) continue;
      this.#judge.judgeText(request, place, text, recordedPlaces.get(place)?.text ?? "");
    }
    this.#comparePlaces(request, recordedPlaces, places);
    this.#judge.judgeIds(request, places);
    this.#compareTexts(request, places);
    if (deletesRow(call)) this.#judge.judgePositions(request, places);
    this.#judge.judgeCookies(request);
    return {
      sources: this.#sources(request),
      stale: distinct(found.stale),
      unproven: distinct(found.unproven),
      differing: found.differing.filter(({ place }) => isRelevant(place)),
    };
  }

  #comparePlaces(request: ComparedRequest, recordedPlaces: CallPlaces, places: CallPlaces): void {
    const { call, sent, found } = request;
    const recorded = call.exchange.request.method.toUpperCase();
    const { method } = sent.exchange.request;
    if (method !== recorded) {
      found.differing.push({ ...this.#at(call, "method"), recorded, sent: method });
    }
    const stale = new Set(found.stale.map(({ place }) => place));
    // Places whose names contain a secret have no recorded place of that name.
    const areNamed = ![...places].some(([place, { text }]) =>
      place.includes(SECRET) || (place === "body" && text.includes(SECRET))
    );
    for (const difference of compareRequests(recordedPlaces, places, this.#sentValues(request))) {
      const { place, recorded, sent: other, kind } = difference;
      if (!areNamed && (recorded === undefined || other === undefined)) continue;
      if (kind === "added" && isHeader(place)) continue;
      if (mayDiffer(request, difference) || (stale.has(place) && kind !== "type")) continue;
      this.#addDifference(request, difference);
    }
  }

  #sentValues(request: ComparedRequest): SentValues {
    const { user, planned, hasPlan } = request;
    const { extracted, values } = this.#compared;
    return {
      isSame: (recorded, sent) => {
        const back = this.#recordedText(sent, user);
        return back === recorded || (sent.includes(SECRET) && equalsWithSecrets(back, recorded));
      },
      isOther: (recorded, sent) =>
        extracted.has(sent) ||
        values.find(sent).some((fresh) =>
          fresh.value === sent ? fresh.recorded !== recorded : !recorded.includes(fresh.recorded)
        ),
      isLiteral: (sent, recorded) =>
        planned === undefined
          ? hasPlan || maskUuids(this.#recordedText(sent, user)) !== maskUuids(recorded)
          : planned.isLiteral(sent),
    };
  }

  #addDifference(
    request: ComparedRequest,
    { place, recorded, sent, kind }: PlaceDifference,
  ): void {
    const { call, user, found } = request;
    const isReplaced = recorded !== undefined &&
      this.#findReplaced(request, place, recorded.text, sent?.text ?? "");
    if (kind === "variable") {
      if (!isReplaced) this.#learnReplacement(recorded!.text, sent!.text, user);
      return;
    }
    const describe = (at: CallPlace | undefined) =>
      at && (kind === "type" ? describeTyped(at) : at.text);
    found.differing.push({
      ...this.#at(call, place),
      recorded: describe(recorded),
      sent: describe(sent),
    });
  }

  /** Records what the plan sends in place of recorded text, so that responses repeat it. */
  #learnReplacement(recorded: string, sent: string, user: MockUser): void {
    if (this.#origins.finder.has(recorded)) user.replace(recorded, sent);
    const before = generatedValues(recorded);
    const after = generatedValues(sent);
    if (before.length !== after.length) return;
    before.forEach(({ value }, i) => user.replace(value, after[i].value));
  }

  /** Finds server-generated values that the sent text lacks, as recorded and as fresh ones. */
  #findReplaced(request: ComparedRequest, place: string, recorded: string, sent: string): boolean {
    const { call, user } = request;
    if (!isRelevant(place)) return false;
    const back = new Set(
      this.#origins.finder.find(this.#recordedText(sent, user)).map(({ value }) => value),
    );
    let isReplaced = false;
    for (const { value } of this.#origins.finder.find(recorded)) {
      if (back.has(value) || !this.#origins.isServerMade(value) || !user.has(value)) continue;
      const holder = this.#origins.holderBefore(value, call);
      if (holder === undefined) continue;
      isReplaced = true;
      const suspect = { place, text: recorded, part: value, holder };
      this.#findings.addUnproven(request, "other value", suspect);
    }
    return isReplaced;
  }

  /** Replaces a user's current fresh values with the recorded ones, also in base64. */
  #recordedText(text: string, user: MockUser): string {
    const plain = (text: string) =>
      this.#compared.values.recorded(text, ({ key, value }) => value === user.current(key));
    return plain(replaceBase64(text, plain));
  }

  #compareTexts(request: ComparedRequest, places: CallPlaces): void {
    const { call, planned } = request;
    if (planned === undefined) return;
    const same = repeatedTexts(
      this.#compared.session.texts.in(call),
      (place) => places.get(place)?.text,
    );
    for (const { place, text } of same) {
      if (!planned.isLiteral(text)) continue;
      this.#findings.addUnproven(request, "same text", { place, text, part: text });
    }
  }

  #sources({ sent, user }: ComparedRequest): Set<Exchange> {
    const texts = [
      ...[...callPlaces(sent).values()].map(({ text }) => text),
      ...cookiesOf(sent.exchange.request).map(([, text]) => text),
    ];
    const fresh = texts.flatMap((text) => this.#compared.values.find(text))
      .filter(({ value, key }) => value === user.current(key));
    return new Set(fresh.map(({ key }) => this.#origins.of(key)!.holders[0]));
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

const UUIDS = new RegExp(UUID, "g");

function maskUuids(text: string): string {
  return text.replace(UUIDS, "*");
}

function distinct<Finding extends object>(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

function equalsWithSecrets(sent: string, recorded: string): boolean {
  const around = sent.split(SECRET).map((piece) => RegExp.escape(piece));
  return new RegExp(`^${around.join(".+")}$`, "s").test(recorded);
}

function describeTyped({ text, numeric }: CallPlace): string {
  return `the ${numeric ? "number" : "text"} ${text}`;
}

/**
 * Returns the typed strings that most likely have to be unique, but are sent unchanged: names
 * before descriptions before phrases. `sentAt` returns the text at a place.
 */
function repeatedTexts(
  typed: readonly TypedText[],
  sentAt: (place: string) => string | undefined,
): TypedText[] {
  const kind = (["name", "description", "phrase"] as const).find((candidate) =>
    typed.some(({ field }) => field === candidate)
  );
  return typed.filter(({ field, place, text }) => field === kind && sentAt(place) === text);
}
