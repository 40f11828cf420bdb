import { assertEquals, assertRejects } from "@std/assert";
import { InputError } from "../../../src/base/errors.ts";
import { rejectOtherKinds } from "../../../src/cli/input/inputs.ts";

const SAMPLES = new URL("../../../testdata/logs/samples/", import.meta.url);

function input(text: string | Uint8Array, name = "in.txt") {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return { name, peek: (count: number) => Promise.resolve(bytes.slice(0, count)) };
}

Deno.test("an input that must be a HAR is rejected if it is another known kind of file", async () => {
  const line = '1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 200 5\n';
  const table: [text: string, name: string, message: string][] = [
    [
      line,
      "access.log",
      "this is an access log, not a HAR; create a plan from it with `rehearse convert access.log -o plan.yaml`",
    ],
    [
      line.replace("\n", "\r\n"),
      "a b.har",
      "`rehearse convert 'a b.har' --from accesslog -o plan.yaml`",
    ],
    [line, "standard input", "`rehearse convert FILE -o plan.yaml`"],
    ["scenarios: {}\n", "p.yaml", "this is a plan, not a HAR; run it with"],
    ['{"schema": 3, "name": ""}', "s.json", "this is a summary of a run, not a HAR"],
    ["<!DOCTYPE html>", "s.html", "this is an HTML page, not a HAR"],
  ];
  for (const [text, name, message] of table) {
    await assertRejects(() => rejectOtherKinds(input(text, name), "har"), InputError, message);
  }
  const sample = Deno.readFileSync(new URL("nginx-json.log", SAMPLES));
  await assertRejects(
    () => rejectOtherKinds(input(sample), "har"),
    InputError,
    "this is an access log",
  );
});

Deno.test("an input that may be a HAR is not rejected", async () => {
  for (
    const text of [
      ...['{"log":{"entries":[]}}', '\ufeff {"log" : {', '{"foo": tru}', "", "\0\xff", "[]"],
    ]
  ) assertEquals(await rejectOtherKinds(input(text), "har"), undefined);
});
