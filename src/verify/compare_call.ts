import { haveCommonWord, resourceWords } from "../correlation/words.ts";
import {
  type CallPlace,
  type CallPlaces,
  callPlaces,
  compareRequests,
  isHeader,
  isRelevant,
  type PlaceDifference,
  placeName,
  type SentValues,
} from "../outcome/compare_requests.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { findBase64, replaceBase64 } from "../traffic/session/base64_text.ts";
import { changesData, isSafeMethod } from "../traffic/session/changes_data.ts";
import { nameHint } from "../traffic/session/dynamic_value.ts";
import { cookiesOf } from "../traffic/session/headers.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { isConstantName, judgeSentValue } from "./assess.ts";
import {
  type ComparedRequest,
  type ComparedSession,
  FindingCollector,
  type RequestFindings,
  type Staleness,
} from "./findings.ts";
import { type FoundValue, generatedValues } from "./generated_values.ts";
import type { MockUser } from "./mock_server.ts";
import { type PlanRequest, SECRET } from "./plan_requests.ts";
import { containsId, deletesRow, type SentId } from "./sent_ids.ts";
import { type IdSource, isLinkParameter, objectWords } from "./short_ids.ts";
import { repeatedTexts } from "./typed_texts.ts";
import { isPushed, type Origins } from "./value_origins.ts";

/**
 * Compares requests with their recorded calls. Only collects facts about the values that they send:
 * `judgeSentValue` decides which are stale or unproven.
 */
export class CallComparer {
  readonly #compared: ComparedSession;
  readonly #origins: Origins;
  readonly #findings: FindingCollector;

  constructor(compared: ComparedSession) {
    this.#compared = compared;
    this.#origins = compared.session.origins;
    this.#findings = new FindingCollector(compared);
  }

  compare(request: ComparedRequest): RequestFindings {
    const { call, sent, found } = request;
    const recordedPlaces = callPlaces(call);
    const places = callPlaces(sent, (name) => this.#compared.values.recorded(name));
    for (const [place, { text, isFile }] of places) {
      if (isFile || !isRelevant(place)) continue;
      this.#judgeValues(request, place, text, recordedPlaces.get(place)?.text ?? "");
    }
    this.#comparePlaces(request, recordedPlaces, places);
    this.#compareIds(request, places);
    this.#compareTexts(request, places);
    if (deletesRow(call)) this.#findPositions(request, places);
    this.#compareCookies(request);
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

  /**
   * Records that the plan sends `sent` in place of recorded text that the client generates, so that
   * responses repeat `sent`.
   */
  #learnReplacement(recorded: string, sent: string, user: MockUser): void {
    if (this.#origins.finder.has(recorded)) user.replace(recorded, sent);
    const before = generatedValues(recorded);
    const after = generatedValues(sent);
    if (before.length !== after.length) return;
    before.forEach(({ value }, i) => user.replace(value, after[i].value));
  }

  /**
   * Finds server-generated values in the recorded text that the sent text does not contain, neither
   * as recorded nor as the user's current fresh value. Returns true if it finds any.
   */
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

  /**
   * Replaces the current fresh values of a user in `text` with the recorded ones, also in the texts
   * that it contains in base64.
   */
  #recordedText(text: string, user: MockUser): string {
    const plain = (text: string) =>
      this.#compared.values.recorded(text, ({ key, value }) => value === user.current(key));
    return plain(replaceBase64(text, plain));
  }

  /** Judges the values of the server, and the random ones, in one string of a sent request. */
  #judgeValues(request: ComparedRequest, place: string, sent: string, recorded: string): void {
    const { call, user, planned } = request;
    for (const fresh of this.#compared.values.find(sent)) {
      if (fresh.value === user.current(fresh.key)) continue;
      const why = fresh.user === user.name ? "from an earlier response" : "another user's";
      this.#judgeValue(request, place, sent, { ...fresh, value: fresh.recorded }, why);
    }
    const random = randomValues(recorded);
    for (const found of this.#origins.finder.find(sent)) {
      const { value } = found;
      if (!mayBeLiteral(request, value)) continue;
      if (this.#origins.isServerMade(value)) this.#judgeValue(request, place, sent, found);
      else if (random.has(value) && place !== "header content-type" && !isReport(call)) {
        const holder = this.#origins.holderBefore(value, call);
        const suspect = { place, text: sent, part: value, holder };
        this.#findings.addUnproven(request, holder ? "response" : "random", suspect);
      }
    }
    if (planned === undefined) return; // A client may encode other values in base64.
    for (const { encoded, text } of findBase64(sent)) {
      if (this.#origins.isServerMade(encoded)) continue;
      const isLiteral = planned.isLiteral(encoded);
      for (const found of this.#origins.finder.find(text)) {
        if (!isLiteral && !planned.isLiteral(found.value)) continue;
        if (this.#origins.isServerMade(found.value)) this.#judgeValue(request, place, text, found);
      }
    }
  }

  #judgeValue(
    request: ComparedRequest,
    place: string,
    text: string,
    found: FoundValue,
    why: Staleness = "as recorded",
  ): void {
    const { call, user, planned } = request;
    const { value } = found;
    const { constants, assessor, kept, extracted, session } = this.#compared;
    const holder = this.#origins.holderBefore(value, call);
    if (holder === undefined || constants.has(value)) return;
    const assessment = assessor.assess(value, holder, place);
    const verdict = judgeSentValue({
      assessment,
      isReplaced: user.has(value) && !kept.has(value),
      isIgnored: isReport(call) || this.#followsCookie(request, place, value),
      isSure: isDelimited(found, text),
      isNew: session.isNew(holder),
      // A longer text that a variable contains may have the value by chance, and be sent by it.
      isExtracted: extracted.get(value)?.some(({ name, recorded, isWhole }) =>
        isWhole || why !== "as recorded" ||
        text.includes(recorded) && !(planned?.uses(name) ?? false)
      ) ?? false,
      mayBeStale: why === "as recorded",
    });
    const suspect = { place, text, part: value, holder };
    if (verdict === "stale") this.#findings.addStale(request, why, suspect);
    else if (verdict === "unproven") {
      const reason = assessment === "constant" ? "constant" : "response";
      this.#findings.addUnproven(request, reason, suspect);
    }
  }

  /**
   * Reports whether `value` is the value of a parameter in the path, such as `;jsessionid=`, and
   * the request also sends the fresh value in a cookie. In that case, servers use the cookie and
   * ignore the path.
   */
  #followsCookie({ sent, user }: ComparedRequest, place: string, value: string): boolean {
    if (!place.startsWith("path segment")) return false;
    const { url } = sent.exchange.request;
    if (!new RegExp(`;[\\w.-]+=${RegExp.escape(value)}(?:[;.?/#]|$)`).test(url)) return false;
    return cookiesOf(sent.exchange.request).some(([, cookie]) =>
      this.#compared.values.find(cookie).some((fresh) =>
        fresh.recorded === value && fresh.value === user.current(fresh.key)
      )
    );
  }

  /**
   * Judges cookies that the plan contains as literals, and finds recorded session cookies that
   * neither the request nor any response contains.
   */
  #compareCookies(request: ComparedRequest): void {
    // The plan and the cookie jar can both send a cookie with the same name.
    const sent = cookiesOf(request.sent.exchange.request);
    for (const [cookie, text] of sent) {
      for (const found of this.#origins.finder.find(text)) {
        if (!mayBeLiteral(request, found.value)) continue;
        if (!this.#origins.isServerMade(found.value)) continue;
        this.#judgeValue(request, `cookie ${cookie}`, text, found);
      }
    }
    const present = new Set(sent.map(([cookie]) => cookie));
    for (const [cookie, text] of cookiesOf(request.call.exchange.request)) {
      const { dynamic, surely } = nameHint(cookie);
      if (present.has(cookie) || !(dynamic || surely)) continue;
      const [first] = generatedValues(text);
      if (first === undefined || this.#origins.of(first.value)?.holders.length) continue;
      const suspect = { place: `cookie ${cookie}`, text, part: text };
      this.#findings.addUnproven(request, "cookie", suspect);
    }
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

  #compareIds(request: ComparedRequest, places: CallPlaces): void {
    const { call, user, planned, hasPlan } = request;
    const { session, values, kept, constants, extracted } = this.#compared;
    const { ids } = session;
    const unproven = new Set(request.found.unproven.map(({ place }) => place));
    for (const id of ids.sentBy(call)) {
      const { place, value } = id;
      const sent = places.get(place)?.text;
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
            !(value.length === 1 && isLinkParameter(source)) &&
            session.isNew(session.origins.of(key)!.holders[0])
          ),
          isExtracted: sure.some(({ key }) => extracted.has(key)),
          mayBeStale: isSure || !isSafeMethod(methodOf(call)) || changesData(exchange) ||
            isPushed(exchange),
        });
        if (verdict === "stale") this.#findings.addStale(request, "as recorded", suspect);
        else if (verdict === "unproven" && !unproven.has(place)) {
          this.#findings.addUnproven(request, "response", suspect);
        }
        continue;
      }
      const [fresh] = values.find(sent);
      const isOther = fresh?.recorded === value && fresh.value === sent && isSure &&
        !sources.some(({ key, isSure }) => isSure && key === fresh.key);
      if (isOther) this.#findings.addUnproven(request, "other object", { ...suspect, text: value });
    }
  }

  /**
   * Reports whether the plan extracts an id that a write created, and the place names its resource,
   * as the members do in `json $.category.connect.id`.
   */
  #isOfPlan({ key, source }: IdSource, place: string): boolean {
    const { session, extracted } = this.#compared;
    return extracted.has(key) && session.isNew(session.origins.of(key)!.holders[0]) &&
      haveCommonWord(objectWords(source), resourceWords(place));
  }

  #findPositions(request: ComparedRequest, places: CallPlaces): void {
    const { user, planned } = request;
    const { values, extracted, session } = this.#compared;
    for (const [place, { text }] of places) {
      for (const { key, value, recorded } of values.find(text)) {
        if (value !== user.current(key)) continue;
        const variable = extracted.get(key)
          ?.find(({ name, isByPosition }) => isByPosition && planned?.uses(name));
        const holder = variable && session.byEntry.get(variable.entry)?.exchange;
        if (holder === undefined) continue;
        const suspect = { place, text: recorded, part: recorded, holder };
        this.#findings.addUnproven(request, "position", suspect);
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
    return new Set(fresh.map(({ key }) => this.#origins.of(key)!.holders[0]));
  }

  #at(call: RecordedCall, place: string): { call: string; place: string } {
    return { call: this.#compared.session.nameOf(call), place };
  }
}

/** Reports whether a request may contain a value as a literal: its plan has it, or is unknown. */
function mayBeLiteral({ hasPlan, planned }: ComparedRequest, value: string): boolean {
  return !hasPlan || (planned?.isLiteral(value) ?? false);
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

function isReport({ body }: RecordedCall): boolean {
  return /csp-report|reports\+json/.test(body?.contentType ?? "");
}

/** Reports whether a value is long, or delimited like a value in a URL. */
function isDelimited({ value, start, end }: FoundValue, text: string): boolean {
  return !/^\d{1,7}$/.test(value) ||
    /[/=?&]/.test(text[start - 1] ?? "/") && /[/?&#;]/.test(text[end] ?? "/");
}

function randomValues(text: string): Set<string> {
  const found = generatedValues(text).filter(({ kind }) =>
    kind !== "number" && kind !== "timestamp"
  );
  return new Set(found.map(({ value }) => value));
}
