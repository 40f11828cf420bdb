import { assertEquals, assertThrows } from "@std/assert";
import { random } from "../../../src/base/random.ts";
import { convertHar } from "../../../src/convert/from_har.ts";
import { compileExtractor, type NamelessExtractor } from "../../../src/extract/extractors.ts";
import type { Extractor } from "../../../src/plan/kinds/extractors.ts";
import { listRequests } from "../../../src/plan/kinds/list_requests.ts";
import { RecordedView } from "../../../src/traffic/session/recorded_view.ts";
import { type CaseCall, recordingOf } from "../har/recorded_case.ts";

/**
 * Converts `calls` and applies the extractor of the second call to the response of `other`. `text`
 * is the text that identifies the row (default: as recorded).
 */
function foundIn(calls: readonly CaseCall[], other: CaseCall, text?: string): unknown {
  const { plan } = convertHar(recordingOf(calls), { correlate: new Set(["html"]) });
  const [, list] = [...listRequests(plan.scenarios.recorded.flow)];
  const [{ name: _, ...extractor }] = list.extract as Extractor[];
  const { response } = recordingOf([other]).exchanges[0];
  return compileExtractor(extractor as NamelessExtractor).take(
    new RecordedView(response),
    random(1),
    text,
  );
}

const made = { status: 302, response_headers: { Location: "/notes" } };
const list = (text: string) => ({ request: "GET /notes", text, type: "text/html" });
const row = (title: string, id: number) =>
  `<tr><td>${title}</td><td>2026-11-2${id % 9}</td><td><a onclick="edit(${id})">Edit</a></td></tr>`;

Deno.test("an extractor finds the user's row among rows of other users", () => {
  const calls: CaseCall[] = [
    { request: "POST /notes", form: { title: "Water the garden" }, ...made },
    list(row("Water the garden", 17)),
    { request: "POST /notes/edit", form: { note_id: "17" }, response: {} },
  ];
  const rows = [row("Buy tea", 31), row("Water the garden", 32), row("Water the plants", 33)];
  assertEquals(foundIn(calls, list(rows.join("\n"))), "32");
  assertEquals(foundIn(calls, list(rows.toReversed().join("\n"))), "32");
  const unique = "Water the garden k3x9";
  assertEquals(foundIn(calls, list(rows.join("\n") + row(unique, 34)), unique), "34");
  assertEquals(foundIn(calls, list(row(unique, 34))), undefined);
  const twice = list(row("Water the garden", 35) + row("Water the garden", 36));
  assertThrows(() => foundIn(calls, twice), Error, "appears in 2 rows");
  assertEquals(foundIn(calls, list(row("Buy tea", 31))), undefined);
});

Deno.test("an extractor selects the user's `<option>` from a list that starts with other options", () => {
  const option = (title: string, id: number) => `<option value="${id}">${title}</option>`;
  const calls: CaseCall[] = [
    { request: "POST /groups", form: { name: "Tea" }, ...made },
    list(`<select>${option("Coffee", 48213001)}${option("Tea", 48213002)}</select>`),
    { request: "POST /members", form: { group_id: "48213002" }, response: {} },
  ];
  const others = option("Coffee", 9003) + option("Tea", 9002);
  assertEquals(foundIn(calls, list(`<select>${others}</select>`)), "9002");
});

Deno.test("an extractor finds the user's element in a JSON list that contains other elements", () => {
  const json = (notes: unknown) => ({ request: "GET /notes", response: { notes } });
  const calls: CaseCall[] = [
    { request: "POST /notes", json: { title: "Tea [1]" }, status: 204 },
    json([{ title: "Tea [1]", id: 4711 }]),
    { request: "GET /notes/4711", response: {} },
  ];
  const notes = [{ title: "Coffee", id: 1 }, { title: "Tea [1] k3x9", id: 2 }];
  assertEquals(foundIn(calls, json(notes), "Tea [1] k3x9"), 2);
  assertEquals(foundIn(calls, json(notes)), undefined);
});
