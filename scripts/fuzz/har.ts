/**
 * Damages HARs for longer than the tests do: every damaged file must read, or be refused with its place.
 *
 *     deno run -P=scripts scripts/fuzz/har.ts [runs]
 */
import { harFiles } from "../../tests/support/har_files.ts";
import { survivesDamage } from "../../tests/support/har_fuzz.ts";

const runs = Number(Deno.args[0] ?? 100_000);
const folders = [
  "../shared/data/har",
  ...["shapes", "real", "labelled"].map((f) => `testdata/har/${f}`),
];
const files = folders.flatMap(harFiles).filter(({ bytes }) => bytes.length < 100_000);
await survivesDamage(files, runs);
console.log(`${runs} damaged files made of ${files.length}: all read or refused`);
