import { fromFileUrl } from "@std/path";
import type { Label } from "../../scripts/labelled/label.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";

/** Folder of the labelled recordings: `NAME.har` with `NAME.labels.json`. */
export const LABELLED = new URL("../../testdata/har/labelled/", import.meta.url);

/** A recording with the labels of its values. */
export interface LabelledRecording {
  readonly name: string;
  readonly recording: Recording;
  readonly labels: readonly Label[];
}

/** Reads the labelled recordings in `testdata/`, in the order of their names. */
export function readLabelled(): Promise<LabelledRecording[]> {
  const names = [...Deno.readDirSync(LABELLED)]
    .map(({ name }) => name).filter((name) => name.endsWith(".har"))
    .map((name) => name.slice(0, -".har".length)).sort();
  return Promise.all(names.map(async (name) => {
    const path = fromFileUrl(new URL(`${name}.har`, LABELLED));
    return {
      name,
      recording: await readHar([Deno.readFileSync(path)], path),
      labels: JSON.parse(Deno.readTextFileSync(new URL(`${name}.labels.json`, LABELLED))),
    };
  }));
}
