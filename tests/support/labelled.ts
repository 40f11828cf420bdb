import { fromFileUrl } from "@std/path";
import type { Label } from "../../scripts/labelled/label.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";

/** Folder of the labelled recordings. Each has a `NAME.har` and a `NAME.labels.json`. */
export const LABELLED = new URL("../../testdata/har/labelled/", import.meta.url);

/** A recording with the labels of its values. */
export interface LabelledRecording {
  readonly name: string;
  readonly recording: Recording;
  readonly labels: readonly Label[];
}

/** Reads all labelled recordings in `testdata/`, sorted by name. */
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
