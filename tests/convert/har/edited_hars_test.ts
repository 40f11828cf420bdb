import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { convertHar } from "../../../src/convert/from_har.ts";
import type { HarOptions } from "../../../src/convert/har/facts.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import { harFiles } from "../../support/har_files.ts";
import { editedJson, jsonEdits } from "../../builders/json_edits.ts";

const OPTIONS: HarOptions = {
  secrets: true,
  checks: "response",
  explain: true,
};

const texts = new Map(
  ["shapes", "real", "labelled"].flatMap((folder) => harFiles(`testdata/har/${folder}`))
    .filter(({ bytes }) => bytes.length < 100_000)
    .map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
);

Deno.test("convertHar with all options returns a valid plan or throws an InputError for any change to a HAR", () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...texts.keys()), jsonEdits, async (name, edits) => {
      const bytes = new TextEncoder().encode(editedJson(texts.get(name)!, edits));
      const text = await converted(bytes);
      if (text === undefined) return;
      const { diagnostics } = loadPlan(text);
      assertEquals(diagnostics.filter(({ severity }) => severity === "error"), []);
    }),
    COSTLY,
  ));

async function converted(bytes: Uint8Array): Promise<string | undefined> {
  try {
    const { plan, header } = convertHar(await readHar([bytes], "x"), OPTIONS);
    return printPlan(plan, header);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
