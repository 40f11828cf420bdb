import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { findUsages, type Usage } from "../../../src/convert/correlate/usages.ts";
import { keptHeaders } from "../../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { isWordy } from "../../../src/traffic/session/dynamic_value.ts";
import type { RequestField } from "../../../src/traffic/session/request_field.ts";
import { recordingOf } from "../har/recorded_case.ts";

const values = fc.array(
  fc.string({ unit: fc.constantFrom("a", "b", "1", "-", "."), minLength: 8, maxLength: 10 }),
  { minLength: 1, maxLength: 4 },
).map((all) => all.filter((value) => /[a-z0-9]/.test(value) && !isWordy(value)));

/**
 * Generates the pieces of a field's text: indexes of values, and text that joins or separates them.
 */
const pieces = fc.array(
  fc.oneof(
    fc.nat(3),
    fc.constantFrom("Bearer ", "/", "?id=", "x", " ", "-", '{"a":"', '"}', "<b>"),
  ),
  { maxLength: 6 },
);

Deno.test("findUsages finds the same occurrences as a separate search for each value", () => {
  let [wholes, parts, within] = [0, 0, 0];
  fc.assert(
    fc.property(values, fc.array(pieces, { minLength: 1, maxLength: 4 }), (values, texts) => {
      const fill = (pieces: readonly (string | number)[]) =>
        pieces.map((piece) => typeof piece === "number" ? values[piece] ?? "" : piece).join("");
      const filled = texts.map(fill);
      const body = JSON.stringify({ first: filled, second: { id: filled[0] } });
      const { exchanges } = recordingOf([
        {
          request: `POST /items/${values[0] ?? "a"}`,
          body,
          headers: { "X-Token": filled[0].trim() },
        },
        { request: "GET /items", headers: { "X-Token": filled[0].trim() } },
      ]);
      const calls = splitCalls(exchanges, keptHeaders);
      const wanted = new Set(values);
      const found = findUsages(calls, { has: (value) => wanted.has(value), values: () => values });
      const byField = Map.groupBy(found, ({ field }) => field);
      for (const call of calls) {
        for (const field of call.fields) {
          const usages = byField.get(field) ?? [];
          const rangesOf = (fills: Usage["fills"]) =>
            usages.filter((usage) => usage.fills === fills).map(rangeOf);
          const slow = findSlowly(field, wanted);
          assertEquals(rangesOf("whole"), slow.wholes);
          assertEquals(rangesOf("part"), slow.parts);
          assertEquals(rangesOf("piece").sort(), slow.within.sort());
          assertEquals(
            usages.map(({ start }) => start),
            usages.map(({ start }) => start).sort((a, b) => a - b),
          );
          wholes += slow.wholes.length;
          parts += slow.parts.length;
          within += slow.within.length;
        }
      }
    }),
  );
  for (const count of [wholes, parts, within]) assert(count > 20, `${wholes} ${parts} ${within}`);
});

function rangeOf({ value, start, end }: Usage): string {
  return `${start} ${end} ${value}`;
}

/** Slow reference implementation: searches for every value at every offset of a field. */
function findSlowly(field: RequestField, values: ReadonlySet<string>) {
  const text = field.value;
  const isValue = (range: readonly [number, number]) => values.has(text.slice(...range));
  const show = ([start, end]: readonly [number, number]) =>
    `${start} ${end} ${text.slice(start, end)}`;
  const wholes = field.wholes().filter(isValue).map(show);
  const parts = field.parts().map(({ start, end }) => [start, end] as const).filter(isValue)
    .map(show);
  const taken = new Set([...wholes, ...parts]);
  const within: string[] = [];
  for (const value of values) {
    for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + 1)) {
      const end = start + value.length;
      if (!isBoundary(text, start) || !isBoundary(text, end)) continue;
      if (!taken.has(show([start, end]))) within.push(show([start, end]));
    }
  }
  return { wholes, parts, within };
}

/**
 * Reports whether the offset is a boundary: the characters before and after it are not both
 * alphanumeric.
 */
function isBoundary(text: string, at: number): boolean {
  return !/^[a-zA-Z0-9]{2}$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
