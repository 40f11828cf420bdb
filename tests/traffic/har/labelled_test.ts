import { assert, assertEquals } from "@std/assert";
import { labelledSet } from "../../../scripts/labelled/all.ts";
import { decodeBase64Text } from "../../../src/traffic/session/base64_text.ts";
import { LABELLED, readLabelled } from "../../support/labelled.ts";

Deno.test("the scripts that generate the labelled recordings reproduce them exactly", () => {
  const set = labelledSet();
  for (const { name, har, labels } of set) {
    const written = (file: string) => Deno.readTextFileSync(new URL(file, LABELLED));
    assertEquals(written(`${name}.har`), har, `${name}: run scripts/make_labelled.ts`);
    assertEquals(written(`${name}.labels.json`), labels, `${name}: run scripts/make_labelled.ts`);
  }
  assertEquals([...Deno.readDirSync(LABELLED)].length, 2 * set.length, "files without a script");
});

Deno.test("there are at least 24 labelled recordings and 170 labels, with one label per value", async () => {
  const set = await readLabelled();
  const labels = set.flatMap(({ labels }) => labels);
  assert(set.length >= 24 && labels.length >= 170, `${set.length} with ${labels.length}`);
  for (const { name, labels } of set) {
    assertEquals(new Set(labels.map(({ value }) => String(value))).size, labels.length, name);
    for (const { correlate, option, uses, producer, value } of labels) {
      const isTaken = correlate || option !== undefined;
      assertEquals(isTaken, uses.length > 0, `${name}: ${value}`);
      assert(!isTaken || producer !== undefined, `${name}: ${value}`);
    }
  }
});

Deno.test("each labelled value occurs in its producer's response and in later requests", async () => {
  for (const { name, recording, labels } of await readLabelled()) {
    const byIndex = new Map(recording.exchanges.map((exchange) => [exchange.index, exchange]));
    for (const { value, producer, uses } of labels) {
      if (producer === undefined) continue;
      const { response, endedAt } = byIndex.get(producer)!;
      const texts = [response.text ?? "", withoutEscapes(response.text ?? "")];
      const held = [...response.headers.map(({ value }) => value), ...texts].join("\n");
      assert(held.includes(String(value)), `${name}: ${value}`);
      for (const { entry } of uses) {
        const { request, startedAt } = byIndex.get(entry)!;
        const asSent = JSON.stringify(request);
        const sent = asSent +
          asSent.replace(/[\w+/-]{12,}={0,2}/g, (text) => decodeBase64Text(text) ?? "");
        assert(
          sent.includes(String(value)) || sent.includes(encodeURIComponent(value)) ||
            sent.includes(JSON.stringify(value)),
          `${name}: ${value} in ${entry}`,
        );
        assert(startedAt > endedAt, `${name}: ${value} in ${entry} is too early`);
      }
    }
  }
});

/** Normalizes JSON with JSON.stringify. Returns other text unchanged. */
function withoutEscapes(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
