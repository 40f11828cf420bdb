import { assert, assertEquals } from "@std/assert";
import fc, { RARE } from "fast-check";
import { isUnnamed } from "../../../src/convert/correlate/sources/element_names.ts";
import { formatJsonPath } from "../../../src/convert/correlate/sources/json_source.ts";
import type { Candidate } from "../../../src/convert/correlate/sources/source_search.ts";
import { withStablePath } from "../../../src/convert/correlate/stable_path.ts";
import { isTypedBefore } from "../../../src/convert/correlate/sources/typed_names.ts";
import { LeafScanner } from "../../../src/traffic/har/scan/leaf_scanner.ts";
import { keptHeaders } from "../../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { recordingOf } from "../har/recorded_case.ts";

const encoder = new TextEncoder();
const ID = "8f3a9c2e11d047b6";

const names = fc.constantFrom("Lamp", "Chair", "Lamp 2", "Émile’s", "a, [b] {", 'say "x]"', "", 7);
const filler = fc.constantFrom<unknown>(1, "x]}", null, [[]], { name: "Table" }, [{ title: "Q" }]);

/** Generates `ID`, alone or nested in lists and objects. */
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.constant(ID),
    fc.record({ id: tie("value"), name: names, other: filler }, { requiredKeys: ["id"] }),
    fc.record({ node: fc.record({ id: tie("value"), title: names }) }),
    fc.record({ attributes: fc.record({ label: names }), id: tie("value") }),
    fc.tuple(fc.array(filler, { maxLength: 2 }), tie("value"), fc.array(filler, { maxLength: 2 }))
      .map(([before, value, after]) => [...before, value, ...after]),
  ),
}));

/**
 * Generates strings that the user typed, each with the number of the call that sends it: -1 (before
 * the only recorded call) or 1 (after it).
 */
const typedNames = fc.array(
  fc.tuple(fc.constantFrom("Lamp 2", "Émile’s", "a, [b] {"), fc.constantFrom(-1, 1)),
).map((typed) => new Map(typed));

Deno.test("withStablePath returns the same path whether or not the prefilter `isUnnamed` is used", () => {
  const scanner = new LeafScanner();
  scanner.addValue(ID);
  let filtered = 0;
  let unnamed = 0;
  let matched = 0;
  fc.assert(
    fc.property(values, fc.boolean(), typedNames, (value, hasMark, typed) => {
      const text = (hasMark ? "\ufeff" : "") + JSON.stringify({ "é": "x", value }, null, 1);
      const recording = recordingOf([{ request: "GET /a", text, type: "application/json" }]);
      const [producer] = splitCalls(recording.exchanges, keptHeaders);
      const json = encoder.encode(text.replace("\ufeff", ""));
      for (const leaf of scanner.find(json)!.filter((leaf) => leaf.text === ID)) {
        const expression = formatJsonPath(leaf.path)!;
        const candidate: Candidate = {
          value: ID,
          key: "id",
          source: "json",
          by: "use",
          numeric: false,
          producer,
          located: { type: "jsonpath", expression },
        };
        const slow = withStablePath(candidate, typed).located;
        const isTyped = isTypedBefore(typed, producer);
        const named = {
          ...candidate,
          isUnnamed: isUnnamed(encoder.encode(text), leaf, isTyped),
        };
        assertEquals(withStablePath(named, typed).located, slow);
        if (named.isUnnamed) unnamed++;
        if (JSON.stringify(slow).includes("?@")) filtered++;
        if (JSON.stringify(slow).includes('"row"')) matched++;
      }
    }),
    RARE,
  );
  assert(filtered > 20, String(filtered));
  assert(unnamed > 20, String(unnamed));
  assert(matched > 20, String(matched));
});
