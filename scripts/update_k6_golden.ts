/**
 * Regenerates the reviewed k6 scripts. Review the diff before you commit it: `deno run --allow-read
 * --allow-write=testdata scripts/update_k6_golden.ts`.
 */
import { goldens, goldenScript } from "../tests/export/goldens.ts";

for (const golden of goldens()) {
  await Deno.writeTextFile(golden.script, await goldenScript(golden));
}
