/**
 * Prints how long it takes to extract a value from a JSON response without losing digits, as a
 * multiple of the time that `JSON.parse` takes for the same body:
 *
 *     deno run -P=bench scripts/bench/exact_json.ts [--smoke]
 */
import { parseExactJson } from "../../src/base/exact_json.ts";
import { findJsonPath } from "../../src/extract/jsonpath.ts";
import { ReceivedResponse } from "../../src/engine/vu/received_response.ts";

const MS = Deno.args.includes("--smoke") ? 1 : 300;
const ROUNDS = 5;

const EXTRACTIONS = {
  text: "$.items[0].uuid",
  number: "$.total",
  object: "$.items[0]",
  "by filter": "$.items[?@.id == 1000].price",
};

const table: Record<string, Record<string, string>> = {};
for (const items of [1, 10, 200]) {
  for (const [kind, price] of [["doubles", "0.25"], ["exact numbers", "12.50"]]) {
    const body = bodyOf(items, price);
    const base = microseconds(() => JSON.parse(body));
    const ratio = (work: () => unknown) => (microseconds(work) / base).toFixed(2);
    const row: Record<string, string> = {
      "JSON.parse": `${base.toFixed(2)} µs`,
      parseExactJson: ratio(() => parseExactJson(body)),
    };
    const received = new ReceivedResponse(undefined);
    const bytes = received.response.body = new TextEncoder().encode(body);
    received.response.headers = [["content-type", "application/json"]];
    for (const [name, path] of Object.entries(EXTRACTIONS)) {
      const find = findJsonPath(path);
      row[name] = ratio(() => {
        received.expect(undefined);
        return [...find(received)];
      });
    }
    table[`${bytes.length} bytes, ${kind}`] = row;
  }
}
console.table(table);

function bodyOf(items: number, price: string): string {
  const list = Array.from(
    { length: items },
    (_, i) =>
      `{"id":${1000 + i},"uuid":"${crypto.randomUUID()}","name":"Product number ${i}",` +
      `"created":"2024-01-01T10:00:00.000Z","price":${price},"url":"https://example.com/p/${i}"}`,
  );
  return `{"items":[${list.join(",")}],"total":${items}}`;
}

/** Returns the mean time of a call to `work` in the fastest round, in microseconds. */
function microseconds(work: () => unknown): number {
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let [count, end] = [0, start];
    while (end - start < MS) {
      for (let i = 0; i < 20; i++) work();
      count += 20;
      end = performance.now();
    }
    fastest = Math.min(fastest, (end - start) / count * 1_000);
  }
  return fastest;
}
