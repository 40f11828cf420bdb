import { countedLines, scannedLines, selectedLines } from "./accesslog.ts";
import { dataFiles } from "./data.ts";
import { expressions } from "./expressions.ts";
import { damagedHars, editedHars } from "./har.ts";
import { answersAfterOthers, answersInChunks, damagedAnswers } from "./http.ts";
import { mutatedPlans, printedPlans } from "./plan.ts";
import { summaries } from "./summary.ts";
import type { Target } from "./target.ts";

/** All fuzz targets: everything that reads untrusted input. */
export const TARGETS: readonly Target[] = [
  scannedLines,
  countedLines,
  selectedLines,
  damagedHars,
  editedHars,
  mutatedPlans,
  printedPlans,
  expressions,
  dataFiles,
  summaries,
  answersInChunks,
  damagedAnswers,
  answersAfterOthers,
];
