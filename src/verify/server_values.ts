import { isRelevant } from "../outcome/compare_requests.ts";
import { findBase64, replaceBase64 } from "../traffic/session/base64_text.ts";
import { type NameHint, nameHint } from "../traffic/session/dynamic_value.ts";
import { cookiesOf } from "../traffic/session/headers.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { judgeSentValue } from "./assess.ts";
import type { ComparedRequest, ComparedSession, FindingCollector, Staleness } from "./findings.ts";
import { type FoundValue, generatedValues } from "./generated_values.ts";
import type { MockUser } from "./mock_server.ts";
import type { Origins } from "./value_origins.ts";

export class ServerValueComparer {
  readonly #compared: ComparedSession;
  readonly #origins: Origins;
  readonly #findings: FindingCollector;

  constructor(compared: ComparedSession, findings: FindingCollector) {
    this.#compared = compared;
    this.#origins = compared.session.origins;
    this.#findings = findings;
  }

  /**
   * Finds two kinds of values in one string of a sent request: stale values, and literals of the
   * plan for which the recording does not show whether they are right.
   */
  findValues(
    request: ComparedRequest,
    place: string,
    recorded: string | undefined,
    sent: string,
  ): void {
    const { call, user, planned, hasPlan } = request;
    if (!isRelevant(place)) return;
    const isWeak = isReport(call);
    for (const fresh of this.#compared.values.find(sent)) {
      if (fresh.value === user.current(fresh.key)) continue;
      const why = fresh.user === user.name ? "from an earlier response" : "another user's";
      this.#addFound(request, place, sent, { ...fresh, value: fresh.recorded }, why, isWeak);
    }
    const random = randomValues(recorded ?? "");
    for (const found of this.#origins.finder.find(sent)) {
      const { value } = found;
      if (hasPlan && !(planned?.isLiteral(value) ?? false)) continue;
      if (this.#origins.isServerMade(value)) {
        this.#addFound(request, place, sent, found, "as recorded", isWeak);
      } else if (random.has(value)) {
        if (place === "header content-type" || isWeak) continue;
        const holder = this.#origins.holderBefore(value, call);
        const reason = holder === undefined ? "random" : "response";
        this.#findings.addUnproven(request, reason, { place, text: sent, part: value, holder });
      }
    }
    this.#findInBase64(request, place, sent);
  }

  /**
   * Finds values as recorded in the texts that a string contains in base64. Finds none without a
   * plan, because the client may have encoded other values.
   */
  #findInBase64(request: ComparedRequest, place: string, sent: string): void {
    const { call, planned } = request;
    if (planned === undefined) return;
    for (const { encoded, text } of findBase64(sent)) {
      if (this.#origins.isServerMade(encoded)) continue;
      const isLiteral = planned.isLiteral(encoded);
      for (const found of this.#origins.finder.find(text)) {
        if (!isLiteral && !planned.isLiteral(found.value)) continue;
        if (!this.#origins.isServerMade(found.value)) continue;
        this.#addFound(request, place, text, found, "as recorded", isReport(call));
      }
    }
  }

  #addFound(
    request: ComparedRequest,
    place: string,
    text: string,
    found: FoundValue,
    why: Staleness,
    isWeak: boolean,
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
      isIgnored: isWeak || this.#followsCookie(request, place, value),
      isSure: isWhole(found, text),
      isNew: session.isNew(holder),
      // A longer text that a variable contains may have the value by chance, and be sent by it.
      isExtracted: extracted.get(value)?.some(({ name, recorded, isWhole }) =>
        isWhole || why !== "as recorded" ||
        text.includes(recorded) && !(planned?.uses(name) ?? false)
      ) ?? false,
      mayBeStale: why === "as recorded",
    });
    const suspect = { place, text, part: value, holder };
    if (verdict === "stale") {
      this.#findings.addStale(request, why, suspect);
    } else if (verdict === "unproven") {
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
   * Finds server-generated values in the recorded text that the sent text does not contain, neither
   * as recorded nor as the user's current fresh value. Returns true if it finds any.
   */
  findReplaced(
    request: ComparedRequest,
    place: string,
    recorded: string,
    sent: string,
  ): boolean {
    const { call, user } = request;
    if (!isRelevant(place)) return false;
    const back = new Set(
      this.#origins.finder.find(this.recordedText(sent, user)).map(({ value }) => value),
    );
    let isReplaced = false;
    for (const { value } of this.#origins.finder.find(recorded)) {
      if (back.has(value) || !this.#origins.isServerMade(value)) continue;
      const holder = this.#origins.holderBefore(value, call);
      if (holder === undefined || !user.has(value)) continue;
      isReplaced = true;
      this.#findings.addUnproven(request, "other value", {
        place,
        text: recorded,
        part: value,
        holder,
      });
    }
    return isReplaced;
  }

  /**
   * Replaces the current fresh values of a user in `text` with the recorded ones, also in the texts
   * that it contains in base64.
   */
  recordedText(text: string, user: MockUser): string {
    const plain = (text: string) =>
      this.#compared.values.recorded(text, ({ key, value }) => value === user.current(key));
    return plain(replaceBase64(text, plain));
  }

  /**
   * Finds cookies that the plan contains as literals, and recorded session cookies that neither the
   * request nor any response contains.
   */
  compareCookies(request: ComparedRequest): void {
    const { call, sent, planned, hasPlan } = request;
    const present = new Set<string>();
    for (const [cookie, text] of cookiesOf(sent.exchange.request)) {
      present.add(cookie);
      for (const found of this.#origins.finder.find(text)) {
        if (hasPlan && !(planned?.isLiteral(found.value) ?? false)) continue;
        if (!this.#origins.isServerMade(found.value)) continue;
        this.#addFound(request, `cookie ${cookie}`, text, found, "as recorded", false);
      }
    }
    for (const [cookie, text] of cookiesOf(call.exchange.request)) {
      if (present.has(cookie) || !isSessionCookie(nameHint(cookie))) continue;
      const [first] = generatedValues(text);
      if (first === undefined || this.#origins.of(first.value)?.holders.length) {
        continue;
      }
      this.#findings.addUnproven(request, "cookie", {
        place: `cookie ${cookie}`,
        text,
        part: text,
      });
    }
  }
}

function isReport({ body }: RecordedCall): boolean {
  return /csp-report|reports\+json/.test(body?.contentType ?? "");
}

/** Reports whether a value is long, or delimited like a value in a URL. */
function isWhole({ value, start, end }: FoundValue, text: string): boolean {
  return !/^\d{1,7}$/.test(value) ||
    /[/=?&]/.test(text[start - 1] ?? "/") && /[/?&#;]/.test(text[end] ?? "/");
}

function isSessionCookie({ dynamic, surely }: NameHint): boolean {
  return dynamic || surely;
}

function randomValues(text: string): Set<string> {
  const found = generatedValues(text).filter(({ kind }) =>
    kind !== "number" && kind !== "timestamp"
  );
  return new Set(found.map(({ value }) => value));
}
