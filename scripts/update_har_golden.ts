/**
 * Regenerates the golden plans of the HAR tests. Review the diff before you commit it: `deno run
 * --allow-read --allow-write=testdata scripts/update_har_golden.ts`.
 */
import { goldensOf, goldenText } from "../tests/convert/har/golden.ts";

for (const set of ["labelled", "real"] as const) {
  for (const golden of goldensOf(set)) {
    await Deno.mkdir(new URL(".", golden.golden), { recursive: true });
    await Deno.writeTextFile(golden.golden, await goldenText(golden));
  }
}
