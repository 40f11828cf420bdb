import type { LogFormat } from "../read/log_format.ts";

const CLF = /^%d\/%b\/%Y[: ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/;
const ISO = /^%Y([-/])%m\1%d[T ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/;
const EPOCH = /^%s(?:\.%f)?$/;

/** Returns the timestamp notation that parses this expanded strftime layout fastest. */
export function chooseNotation(layout: string): Pick<LogFormat, "time" | "layout"> {
  if (CLF.test(layout)) return { time: "clf" };
  if (ISO.test(layout)) return { time: "iso" };
  if (EPOCH.test(layout)) return { time: "epoch" };
  return { time: "layout", layout };
}
