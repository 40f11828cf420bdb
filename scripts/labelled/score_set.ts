import { convertHar } from "../../src/convert/from_har.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import { readLabelled } from "../../tests/support/labelled.ts";
import { foundIn } from "./found.ts";
import { type Score, score } from "./score.ts";

/** The score of one recording. */
export interface NamedScore extends Score {
  readonly name: string;
  /** Number of labels of the recording. */
  readonly values: number;
}

/** Converts each labelled recording and scores the correlations of its plan. */
export async function scoreSet(jsonOnly: boolean): Promise<NamedScore[]> {
  return (await readLabelled()).map(({ name, recording, labels }) => {
    const { plan } = convertHar(recording, { jsonOnly });
    const found = foundIn(plan, keptCalls(recording.exchanges).exchanges);
    return { name, values: labels.length, ...score(labels, found, jsonOnly) };
  });
}
