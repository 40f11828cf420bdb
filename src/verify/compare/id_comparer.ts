import { isWrite } from "../../traffic/session/recorded_call.ts";
import { kindInKey } from "../names/id_origins.ts";
import { isPlaceKind } from "../names/id_name.ts";
import type { CallPlace } from "../recorded/call_places.ts";
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
    const { session: { ids }, values, assessor, kept } = this.#compared;
    for (const id of ids.sentBy(call)) {
      const { place, value } = id;
      const sent = sentPlaces.get(place)?.text;
      if (sent === undefined || kept.has(value)) continue;
      const sources = ids.sourcesOf(id, call).filter(({ key }) => user.has(key));
      if (sources.length === 0) continue;
      const [{ exchange, name, agreement }] = sources;
      this.#findings.suggestId(value, exchange, name, place);
      if (sent === value) {
        if (hasPlan && !(planned?.isWholeLiteral(value) ?? false)) continue;
        const isStale = agreement === "strong" &&
          assessor.assessId(value, exchange, place) === "fresh";
        if (isStale) {
          this.#findings.addStale(request, place, sent, value, "as recorded", exchange, found);
        } else if (agreement !== "weak" || isWrite(call)) {
          this.#findings.addUnproven(request, place, sent, value, "response", exchange, found);
        }
        continue;
      }
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
