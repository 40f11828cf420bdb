import { assert, assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { convertHar } from "../../../src/convert/from_har.ts";
import { loadPlan } from "../../../src/plan/load_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { jsonNumbers } from "../../builders/json_numbers.ts";
import { runInVirtualTime } from "../../support/run_in_virtual_time.ts";
import { verified } from "../../support/verified.ts";

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** JSON text of the request body. */
  readonly json?: string;
  /** JSON text of the response body. */
  readonly response?: string;
}

/** Builds a HAR with calls to `http://t`, one second apart, and reads it. */
function recordingOf(calls: readonly Call[]): Promise<Recording> {
  const entries = calls.map(({ method = "GET", path, headers = {}, json, response }, i) => ({
    startedDateTime: new Date(1_700_000_000_000 + i * 1_000).toISOString(),
    time: 10,
    request: {
      method,
      url: `http://t${path}`,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      ...(json !== undefined && { postData: { mimeType: "application/json", text: json } }),
    },
    response: {
      status: 200,
      headers: [],
      content: { size: 1, mimeType: "application/json", text: response ?? "{}" },
    },
  }));
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  return readHar([new TextEncoder().encode(har)], "test.har");
}

/** Converts a recording, and returns the plan parsed from the text that `convert` writes. */
function writtenPlan(recording: Recording): Plan {
  const { plan: converted, header } = convertHar(recording, {});
  const { plan, diagnostics } = loadPlan(printPlan(converted, header));
  assertEquals(diagnostics, []);
  return plan!;
}

for (const id of ["123456789012345", "1234567890123456789", "9007199254740993"]) {
  const calls: Call[] = [
    {
      method: "POST",
      path: "/orders",
      json: '{"qty":1.10,"article":9007199254740995}',
      response: `{"id":${id},"price":12.50}`,
    },
    { path: `/orders/${id}?order=${id}` },
    {
      method: "POST",
      path: "/pay",
      headers: { "X-Order": id },
      json: `{"order":${id},"all":[${id}],"text":"${id}","amount":12.50}`,
    },
  ];

  Deno.test(`a converted plan extracts the id ${id} and sends all of its digits`, async () => {
    const plan = writtenPlan(await recordingOf(calls));
    const fresh = "1".repeat(id.length - 1) + "3";
    const { sent } = await runInVirtualTime(plan, {
      respond: () => ({ body: `{"id":${fresh},"price":1}` }),
    });
    assertEquals(sent.map(({ target, body }) => [target, body]), [
      ["/orders", '{"qty":1.10,"article":9007199254740995}'],
      [`/orders/${fresh}?order=${fresh}`, ""],
      ["/pay", `{"order":${fresh},"all":[${fresh}],"text":"${fresh}","amount":12.50}`],
    ]);
    assertEquals(sent[2].headers["x-order"], fresh);
  });

  Deno.test(`verify generates a fresh id for ${id}, and detects a request that sends the recorded id`, async () => {
    const recording = await recordingOf(calls);
    const plan = writtenPlan(recording);
    const { stale, differing, share } = await verified(plan, recording, {
      users: 2,
      iterations: 2,
    });
    assertEquals([stale, differing, share], [[], [], 1]);
    const literal = printPlan(plan, []).replace("order: ${id}", `order: ${id}`);
    const edited = await verified((loadPlan(literal)).plan!, recording);
    assertEquals(edited.stale.map(({ value, place }) => [value, place]), [[id, "json $.order"]]);
  });
}

Deno.test("a converted plan sends the recorded JSON text of every number", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jsonNumbers, { minLength: 1, maxLength: 5 }), async (numbers) => {
      const json = `{"list":[${numbers.join(",")}],"map":{"n":${numbers[0]}}}`;
      const recording = await recordingOf([{ method: "POST", path: "/", json }]);
      const plan = writtenPlan(recording);
      assert(!printPlan(plan, []).includes("Content-Type"), "not a body of text");
      const { sent: [{ body }] } = await runInVirtualTime(plan);
      assertEquals(body, json);
      const { differing, share } = await verified(plan, recording);
      assertEquals([differing, share], [[], 1]);
    }),
    COSTLY,
  );
});

Deno.test("verify reports a decimal number that the plan sends with different digits", async () => {
  const recording = await recordingOf([{
    method: "POST",
    path: "/",
    json: '{"a":9007199254740993}',
  }]);
  const text = printPlan(writtenPlan(recording), []);
  const plan = (loadPlan(text.replace("9007199254740993", "9007199254740992"))).plan!;
  const { differing } = await verified(plan, recording);
  assertEquals(differing.map(({ recorded, sent }) => [recorded, sent]), [
    ["9007199254740993", "9007199254740992"],
  ]);
});
