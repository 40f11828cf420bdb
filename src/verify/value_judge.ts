import { type CallPlaces, placeName } from "../outcome/compare_requests.ts";
import { findBase64 } from "../traffic/session/base64_text.ts";
import { changesData, isSafeMethod } from "../traffic/session/changes_data.ts";
import { nameHint } from "../traffic/session/dynamic_value.ts";
import type { Found } from "../traffic/session/value_index.ts";
import { cookiesOf } from "../traffic/session/headers.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { type Assessment, isConstantName } from "./assess.ts";
import type { ComparedRequest, ComparedSession, FindingCollector, Staleness } from "./findings.ts";
import { generatedValues } from "./generated_values.ts";
import type { PlanRequest } from "./plan_requests.ts";
import type { IdSource, SentId } from "./short_ids.ts";
import { isPushed, type Origins } from "./value_origins.ts";

/** Judges the values of the server, and the random ones, that requests send. */
export class ValueJudge {
  readonly #compared: ComparedSession;
  readonly #origins: Origins;
  readonly #findings: FindingCollector;

  constructor(compared: ComparedSession, findings: FindingCollector) {
    this.#compared = compared;
    this.#origins = compared.session.origins;
    this.#findings = findings;
  }

  judgeText(request: ComparedRequest, place: string, sent: string, recorded: string): void {
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
    found: Found,
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

  /** True for a path parameter such as `;jsessionid=` with a cookie that servers prefer. */
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

  /** Judges literal cookies of the plan, and finds recorded session cookies that it lacks. */
  judgeCookies(request: ComparedRequest): void {
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

  judgeIds(request: ComparedRequest, places: CallPlaces): void {
    const { constants, session: { ids } } = this.#compared;
    const unproven = new Set(request.found.unproven.map(({ place }) => place));
    for (const id of ids.sentBy(request.call)) {
      const sent = places.get(id.place)?.text;
      if (sent === undefined || constants.has(id.value)) continue;
      const sources = this.#sourcesOf(request, id);
      if (sources.length === 0) continue;
      if (!containsId(id, sent)) this.#judgeOther(request, id, sent, sources);
      else if (!request.hasPlan || isPlanned(id, request.planned)) {
        this.#judgeId(request, id, sent, sources, unproven.has(id.place));
      }
    }
  }

  /** Returns the responses from which a request may have an id, the sure ones first. */
  #sourcesOf({ call, user }: ComparedRequest, id: SentId): IdSource[] {
    const isKept = this.#compared.kept.has(id.value);
    return this.#compared.session.ids.sourcesOf(id, call)
      .filter(({ key }) => isKept || user.has(key));
  }

  /** Judges an id that a request sends as recorded. */
  #judgeId(
    request: ComparedRequest,
    { place, value, use }: SentId,
    text: string,
    sources: readonly IdSource[],
    isUnproven: boolean,
  ): void {
    const { call } = request;
    const { session, kept, extracted } = this.#compared;
    const [source] = sources;
    const { exchange, isSure } = source;
    const sure = sources.filter(({ isSure }) => isSure);
    const verdict = judgeSentValue({
      // A server gives a new object the same name again, unless the name is taken.
      assessment: isConstantName(placeName(place))
        ? "constant"
        : /\d/.test(value) || nameHint(source.source.key).surely
        ? "object"
        : "undecided",
      isReplaced: !kept.has(value),
      isSure,
      // One digit in the address of the next page may also be the number of a message.
      isNew: sure.some(({ key, source: { collection } }) =>
        !(value.length === 1 && use.field.kind === "query" && collection === use.field.name &&
          !nameHint(collection).idLike) &&
        session.isNew(session.origins.of(key)!.holders[0])
      ),
      isExtracted: sure.some(({ key }) => extracted.has(key)),
      mayBeStale: isSure || !isSafeMethod(methodOf(call)) || changesData(exchange) ||
        isPushed(exchange),
    });
    const suspect = { place, text, part: value, holder: exchange, source };
    if (verdict === "stale") this.#findings.addStale(request, "as recorded", suspect);
    else if (verdict === "unproven" && !isUnproven) {
      this.#findings.addUnproven(request, "response", suspect);
    }
  }

  /** Finds a fresh id of another object than recorded. */
  #judgeOther(
    request: ComparedRequest,
    { place, value }: SentId,
    sent: string,
    sources: readonly IdSource[],
  ): void {
    const [source] = sources;
    const [fresh] = this.#compared.values.find(sent);
    const isOther = fresh?.recorded === value && fresh.value === sent && source.isSure &&
      !sources.some(({ key, isSure }) => isSure && key === fresh.key);
    if (!isOther) return;
    const suspect = { place, text: value, part: value, holder: source.exchange, source };
    this.#findings.addUnproven(request, "other object", suspect);
  }

  judgePositions(request: ComparedRequest, places: CallPlaces): void {
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
}

/** The plan has the value as a literal, or is unknown. */
function mayBeLiteral({ hasPlan, planned }: ComparedRequest, value: string): boolean {
  return !hasPlan || (planned?.isLiteral(value) ?? false);
}

function isPlanned({ value, written }: SentId, planned: PlanRequest | undefined): boolean {
  if (planned === undefined) return false;
  return planned.wholeLiterals(value) > 0 || (written !== value && planned.isLiteral(written));
}

/** Reports whether text contains an id as recorded. */
function containsId({ use, written }: SentId, text: string): boolean {
  if (written === use.field.value) return text === written;
  return new RegExp(`(?<!\\w)${RegExp.escape(written)}(?!\\w)`).test(text);
}

function isReport({ body }: RecordedCall): boolean {
  return /csp-report|reports\+json/.test(body?.contentType ?? "");
}

/** Reports whether a value is long, or delimited like a value in a URL. */
function isDelimited({ value, start, end }: Found, text: string): boolean {
  return !/^\d{1,7}$/.test(value) ||
    /[/=?&]/.test(text[start - 1] ?? "/") && /[/?&#;]/.test(text[end] ?? "/");
}

function randomValues(text: string): Set<string> {
  const found = generatedValues(text).filter(({ kind }) =>
    kind !== "number" && kind !== "timestamp"
  );
  return new Set(found.map(({ value }) => value));
}

export interface SentValue {
  readonly assessment: Assessment;
  /** The mock server generated another value for the user. */
  readonly isReplaced: boolean;
  /** A server does not read this place, so that any value is right. */
  readonly isIgnored?: boolean;
  /** It is surely this value, and not equal text with another meaning. */
  readonly isSure: boolean;
  readonly isNew: boolean;
  /** The plan extracts the value, so that it must not send the recorded one. */
  readonly isExtracted: boolean;
  /** The value is unproven unless it is stale. */
  readonly mayBeStale: boolean;
}

/** Decides whether a value is stale or unproven. No other code makes a value stale. */
export function judgeSentValue(value: SentValue): "stale" | "unproven" | "consistent" {
  const { assessment, isReplaced, isIgnored, isSure, isNew, isExtracted } = value;
  const isFresh = assessment === "token" ||
    isSure && (isExtracted || assessment === "object" && isNew);
  if (isFresh && isReplaced && !isIgnored) return "stale";
  return value.mayBeStale ? "unproven" : "consistent";
}
