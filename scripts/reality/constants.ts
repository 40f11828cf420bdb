/**
 * Counts the extractors that return the same value in two recordings of one session, of which the
 * second is of a new installation with ids elsewhere: of plans made from the first recording, and
 * of plans made from both.
 *
 *     deno run --frozen -A scripts/reality/constants.ts FOLDER [--list]
 *
 * FOLDER contains the recordings as `NAME.1.har` and `NAME.har`. `--list` prints each constant.
 */

import { parseArgs } from "@std/cli/parse-args";
import { correlate, type Correlation } from "../../src/correlation/correlate.ts";
import { recordedStep, type Step } from "../../src/correlation/shared_values.ts";
import { extractValue } from "../../src/correlation/try_extractor.ts";
import { pairRecordings } from "../../src/convert/har/second_recording.ts";
import { findMainOrigin } from "../../src/traffic/har/origins.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import { leafText } from "../../src/traffic/session/body_fields.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { markdownTable } from "../markdown_table.ts";

const { _: [folder], list } = parseArgs(Deno.args, { boolean: ["list"] });

/** Returns the calls of a recording that a plan replays. */
async function callsIn(path: string) {
  const { exchanges } = await readHar([await Deno.readFile(path)], path);
  return keptCalls(exchanges).exchanges;
}

/** Counts the variables whose extractor finds a value in the second response, and the constants. */
function count({ variables }: Correlation, steps: readonly Step[], name: string): number[] {
  const responses = new Map(steps.map(({ call, responses }) => [call, responses[1]]));
  let [seen, constant] = [0, 0];
  for (const { value, extractor, candidate: { producer, located } } of variables) {
    const response = responses.get(producer);
    const other = response && leafText(extractValue(located, response));
    if (other === undefined) continue;
    seen++;
    if (other !== value) continue;
    constant++;
    if (list) {
      const url = producer.exchange.request.url.replace(/^\w+:\/\/[^/]*/, "");
      console.log(name, extractor.name, JSON.stringify(value), JSON.stringify(located), url);
    }
  }
  return [variables.length, seen, constant];
}

const names = [...Deno.readDirSync(String(folder))].flatMap(({ name }) =>
  name.endsWith(".1.har") ? name.slice(0, -".1.har".length) : []
).sort();
const rows: (string | number)[][] = [];
for (const name of names) {
  const paths = [`${folder}/${name}.1.har`, `${folder}/${name}.har`];
  const [first, second] = await Promise.all(
    paths.map((path) => callsIn(path).catch(() => undefined)),
  );
  if (first === undefined || second === undefined) continue;
  const calls = splitCalls(first);
  const { steps } = pairRecordings(calls, second, findMainOrigin(first)?.origin ?? "");
  const options = { jsonOnly: false, explain: false };
  const alone = correlate(calls.map(recordedStep), options);
  rows.push([
    name,
    ...count(alone, steps, name),
    ...count(correlate(steps, options), steps, `${name} --again`),
  ]);
}
const sums = [1, 2, 3, 4, 5, 6].map((i) => rows.reduce((sum, row) => sum + Number(row[i]), 0));
const share = (part: number, all: number) => `${part} (${(100 * part / all).toFixed(1)} %)`;
rows.push([
  "all",
  sums[0],
  sums[1],
  share(sums[2], sums[1]),
  sums[3],
  sums[4],
  share(sums[5], sums[4]),
]);
const header = ["application", "extractors", "seen twice", "constant"];
console.log(markdownTable([
  [...header, ...header.slice(1).map((title) => `${title} (--again)`)],
  ...rows.map((row) => row.map(String)),
]));
