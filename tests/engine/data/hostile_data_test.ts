import { assert } from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { readRows } from "../../../src/engine/vu/data_source.ts";

const csvPiece = fc.constantFrom(
  ...["id", "name", "7", "Ada", ",", ",", ";", "\t", "\n", "\n", "\r\n", "\r", '"', '""', '"a,b"'],
  ...["\ufeff", "\0", "#", " ", "__proto__", "constructor", "${env.HOME}", "é", "\u2028", "\ud800"],
);
const csv = fc.array(csvPiece, { maxLength: 40 }).map((parts) => parts.join(""));
const bytes = fc.oneof(
  { weight: 4, arbitrary: csv.map((text) => new TextEncoder().encode(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);
const jsonText = fc.oneof(fc.json(), csv, fc.json().map((text) => `[${text},{"a":${text}}]`));

/** Generates data files, and options for reading them. */
const dataFile = fc.oneof(
  fc.record({
    feeder: fc.record({
      type: fc.constant("csv" as const),
      path: fc.constant("d"),
      delimiter: fc.constantFrom(undefined, ";", "\t", " "),
      has_header: fc.constantFrom(undefined, true, false),
    }),
    bytes,
  }),
  fc.record({
    feeder: fc.constant({ type: "json" as const, path: "d" }),
    bytes: jsonText.map((text) => new TextEncoder().encode(text)),
  }),
);

Deno.test("readRows returns plain objects or throws an InputError for any data file", () =>
  fc.assert(fc.property(dataFile, ({ feeder, bytes }) => {
    try {
      const rows = readRows(feeder, () => bytes);
      assert(rows.length > 0);
      for (const row of rows) assert(Object.getPrototypeOf(row) === Object.prototype);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  })));
