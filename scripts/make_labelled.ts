/**
 * Writes the labelled recordings, which are the ground truth for correlation, to
 * `testdata/har/labelled/`.
 *
 *     deno run -P=scripts scripts/make_labelled.ts
 */
import { labelledSet } from "./labelled/all.ts";

const folder = new URL("../testdata/har/labelled/", import.meta.url);
Deno.mkdirSync(folder, { recursive: true });
for (const { name, har, labels } of labelledSet()) {
  Deno.writeTextFileSync(new URL(`${name}.har`, folder), har);
  Deno.writeTextFileSync(new URL(`${name}.labels.json`, folder), labels);
}
