import type { LogFormat } from "./log_format.ts";

const CLF = /^%d\/%b\/%Y[: ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/;
const ISO = /^%Y([-/])%m\1%d[T ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/;
const EPOCH = /^%s(?:\.%f)?$/;

/** How timestamps of an expanded strftime layout are read: in the fastest notation that can. */
export function layoutTime(layout: string): Pick<LogFormat, "time" | "layout"> {
  if (CLF.test(layout)) return { time: "clf" };
  if (ISO.test(layout)) return { time: "iso" };
  if (EPOCH.test(layout)) return { time: "epoch" };
  return { time: "layout", layout };
}
