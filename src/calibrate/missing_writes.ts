import type { Plan } from "../plan/schema/plan.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { keptCalls } from "../traffic/session/kept_calls.ts";
import { changesData } from "../verify/recorded/changes_data.ts";
import type { PlanDraft } from "./plan_draft.ts";

/** Lists the recorded writes that a plan neither sends nor lists in `recorded.left_out`. */
export function listMissingWrites(
  draft: PlanDraft,
  { recorded }: Plan,
  { exchanges }: Recording,
): { readonly entry: number; readonly name: string }[] {
  const sent = new Set(
    Array.from({ length: draft.size }, (_, index) => draft.entryOf(index) ?? 0),
  );
  const omitted = new Set(recorded?.left_out);
  return keptCalls(exchanges, undefined).exchanges.flatMap((exchange) => {
    const entry = exchange.index + 1;
    const isExpected = exchange.socketPart === undefined && changesData(exchange);
    if (!isExpected || sent.has(entry) || omitted.has(entry)) return [];
    const { method, url } = exchange.request;
    return [{ entry, name: `${method} ${URL.parse(url)?.pathname ?? url}` }];
  });
}
