import { fromFileUrl } from "@std/path";
import type { Label } from "../../scripts/labelled/label.ts";
import { readHar } from "../../src/traffic/har/read.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";

/** Where the labelled set lies: `NAME.har` beside `NAME.labels.json`. */
export const LABELLED = new URL("../../testdata/har/labelled/", import.meta.url);

/** A recording, and what is true of its values. */
export interface LabelledRecording {
  readonly name: string;
  readonly recording: Recording;
  readonly labels: readonly Label[];
}

/** The labelled set as it lies in `testdata/`, by name. */
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
