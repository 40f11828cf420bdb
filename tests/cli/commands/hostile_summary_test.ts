import { assert } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { runCli } from "../../support/cli.ts";
import { editedJson, jsonEdits } from "../../builders/json_edits.ts";
import { damage, damages } from "../../builders/mutate.ts";
import { BUSY } from "../../builders/summary.ts";
import { assertSafeOutput } from "../../support/safe_output.ts";

const text = JSON.stringify(BUSY);
const bytes = new TextEncoder().encode(text);

/** Generates summaries with invalid members, and bytes that are not a summary. */
const hostileSummary: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc.oneof(
  {
    weight: 3,
    arbitrary: jsonEdits.map((edits) => new TextEncoder().encode(editedJson(text, edits))),
  },
  { weight: 1, arbitrary: damages.map((damages) => damage(bytes, damages).slice()) },
);

Deno.test("merge and report read any summary, or print why they cannot", () =>
  fc.assert(
    fc.asyncProperty(hostileSummary, async (stdin) => {
      for (const command of ["merge", "report"]) {
        const ended = await runCli([command, "-"], { stdin });
        assertSafeOutput(ended);
        assert([0, 1, 99].includes(ended.code), `${ended.code}`);
      }
    }),
    COSTLY,
  ));
