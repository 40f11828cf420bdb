import type { Member } from "../../js/code_layout.ts";

/** Returns the k6 options that set the number of VUs of an arrival-rate executor. */
export function poolOptions(
  { pre_allocated_vus, max_vus = pre_allocated_vus }: {
    readonly pre_allocated_vus: number;
    readonly max_vus?: number;
  },
): readonly Member[] {
  return [
    ["preAllocatedVUs", String(pre_allocated_vus)],
    ["maxVUs", String(Math.max(1, max_vus))],
  ];
}
