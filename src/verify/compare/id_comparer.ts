import { isWrite } from "../../traffic/session/recorded_call.ts";
import { kindInKey } from "../names/id_origins.ts";
import { isPlaceKind } from "../names/id_name.ts";
import { containsId, type SentId } from "../names/sent_ids.ts";
import type { PlanRequest } from "../plan/plan_requests.ts";
import type { CallPlace } from "../recorded/call_places.ts";
import { changesData, isPushed } from "../recorded/changes_data.ts";
import type { ComparedRequest, ComparedSession, Findings } from "./compared_request.ts";
import type { FindingCollector } from "./finding_collector.ts";

/** Compares the short ids in requests with those of the recorded calls. */
export class IdComparer {
  readonly #compared: ComparedSession;
  readonly #findings: FindingCollector;

  constructor(compared: ComparedSession, findings: FindingCollector) {
    this.#compared = compared;
    this.#findings = findings;
  }

  /**
   * Finds short ids that the request sends with their recorded values, or with the values of other
   * objects.
   */
  compare(
    request: ComparedRequest,
    sentPlaces: ReadonlyMap<string, CallPlace>,
    found: Findings,
  ): void {
    const { call, user, planned, hasPlan } = request;
    const { session: { ids }, values, assessor, kept, constants, extracted } = this.#compared;
    for (const id of ids.sentBy(call)) {
      const { place, value, written } = id;
      const sent = sentPlaces.get(place)?.text;
      if (sent === undefined || constants.has(value)) continue;
      const isKept = kept.has(value);
      const sources = ids.sourcesOf(id, call).filter(({ key }) => isKept || user.has(key));
      if (sources.length === 0) continue;
      const [{ exchange, name, agreement }] = sources;
      this.#findings.suggestId(value, exchange, name, place);
      if (containsId(id, sent)) {
        if (hasPlan && !isPlanned(id, planned)) continue;
        const isExtracted = sources.some((source) => extracted.get(value)?.has(source.exchange));
        const isStale = !isKept && (isExtracted ||
          agreement === "strong" && assessor.assessId(value, exchange, place) === "fresh");
        const mayBeNew = isWrite(call) || changesData(exchange) || isPushed(exchange);
        if (isStale) {
          this.#findings.addStale(request, place, sent, value, "as recorded", exchange, found);
        } else if (agreement !== "weak" || mayBeNew) {
          this.#findings.addUnproven(request, place, sent, value, "response", exchange, found);
        }
        continue;
      }
      if (written !== value) continue;
      const [fresh] = values.find(sent);
      if (fresh?.recorded !== value || fresh.value !== sent || agreement !== "strong") continue;
      const kind = kindInKey(fresh.key);
      if (id.kind === "" || kind === "" || kind === id.kind || isPlaceKind(id.kind)) continue;
      if (sources.some(({ key, agreement }) => key === fresh.key && agreement === "strong")) {
        continue;
      }
      this.#findings.addUnproven(request, place, value, value, "other object", exchange, found);
    }
  }
}

/** Reports whether a request of the plan contains an id as a literal. */
function isPlanned({ value, written }: SentId, planned: PlanRequest | undefined): boolean {
  if (planned === undefined) return false;
  return planned.isWholeLiteral(value) || (written !== value && planned.isLiteral(written));
}
