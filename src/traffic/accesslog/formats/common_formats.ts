import { ClfSplitter } from "./clf_splitter.ts";
import type { LogFormat } from "./log_format.ts";

const clf = {
  time: "clf",
  escapes: "log",
  durationUnit: 1,
} as const;

/** The combined and the common format, which the plain scanner reads too. */
export const COMBINED: LogFormat = { ...clf, name: "combined", splitter: () => new ClfSplitter() };
