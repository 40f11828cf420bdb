import { assert } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { verifyPlan } from "../../src/verify/verify_plan.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

const id = (i: number) => `${(i * 7919).toString(36)}-${(i * 104_729).toString(16)}`;

/** Recordings of a size, with the size that conversion must cope with. */
const SHAPES: Readonly<Record<string, readonly [full: number, (size: number) => CaseCall[]]>> = {
  "equal requests": [1_000, (size) =>
    Array.from({ length: size }, () => ({
      request: "POST /items/7?page=2",
      headers: { "X-Token": "4f6c1d2e8a9b7c30" },
      json: { id: 7, parent: 12, state: "open" },
      response: { id: 7, parent: 12, page: 2, state: "open", token: "4f6c1d2e8a9b7c30" },
    }))],
  "tokens without a source": [12_000, (size) =>
    Array.from({ length: size }, (_, i) => ({
      request: `GET /track?token=${id(i)}`,
      response: { ok: true },
    }))],
  "bytes of an inline script": [20_000_000, (size) => {
    let script = "";
    for (let i = 0; script.length < size; i++) script += `add("${id(i)}",{n:${i},t:'x${i}'});`;
    return [
      { request: "GET /", type: "text/html", text: `<script>${script}</script>` },
      { request: `GET /item?key=${id(3)}` },
      { request: `GET /item?key=${id(1_000)}` },
    ];
  }],
  "fields of a form": [4_000, (size) => {
    const fields = Array.from({ length: size }, (_, i) => `<input name="id" value="${id(i)}">`);
    const body = Array.from({ length: size }, (_, i) => `id=${id(i)}`).join("&");
    return [
      { request: "GET /", type: "text/html", text: `<form method=post>${fields.join("")}</form>` },
      { request: "POST /", body, headers: { "Content-Type": "application/x-www-form-urlencoded" } },
    ];
  }],
  "ids in one response": [50_000, (size) => [
    {
      request: "GET /items",
      response: { items: Array.from({ length: size }, (_, i) => ({ id: id(i), n: i })) },
    },
    ...Array.from({ length: 100 }, (_, k) => ({
      request: `GET /items/${id(Math.floor(k * size / 100))}`,
      response: { n: k },
    })),
  ]],
};

/** Recordings whose requests send what their responses contain, by their size in bytes. */
const LITERALS: Readonly<Record<string, readonly [full: number, (size: number) => CaseCall[]]>> = {
  "ids of a list": [100_000, (size) => {
    const list = Array.from(
      { length: size / 40 },
      (_, i) => ({ id: id(i), n: i, name: `No ${i}` }),
    );
    return [
      { request: "GET /items", response: { list } },
      { request: "PUT /items", json: { list }, response: {} },
    ];
  }],
  "ids of a page": [100_000, (size) => {
    const ids = Array.from({ length: size / 40 }, (_, i) => id(i));
    const text = ids.map((id) => `<a href="/items/${id}">an item</a>`).join("");
    return [
      { request: "GET /items", type: "text/html", text },
      { request: "POST /items", json: { ids }, response: {} },
    ];
  }],
  // A search that is not linear in the length of one text takes minutes.
  "letters of one text": [2_000_000, (size) => [
    { request: "GET /note", response: { token: "y".repeat(1.5 * size) } },
    { request: "PUT /note", json: { token: "y".repeat(size) }, response: {} },
  ]],
};

interface Work {
  /** The recording. Adds each character of a response that is read to `characters`. */
  readonly recording: Recording;
  characters: number;
}

function countWork(calls: readonly CaseCall[]): Work {
  const { exchanges, ...rest } = recordingOf(calls);
  const counted = exchanges.map((exchange) => ({
    ...exchange,
    response: {
      ...exchange.response,
      get text() {
        work.characters += exchange.response.text?.length ?? 0;
        return exchange.response.text;
      },
    },
  }));
  const work: Work = { recording: { ...rest, exchanges: counted }, characters: 0 };
  return work;
}

/**
 * Converts a recording. Returns the work, which does not depend on the speed of the machine: the
 * number of characters of responses that the conversion reads, and of places of values that it
 * compares with their uses.
 */
function workToConvert(calls: readonly CaseCall[]): Promise<number> {
  const work = countWork(calls);
  convertHar(work.recording, { checks: "response" });
  const values = sharedValues(
    splitCalls(recordingOf(calls).exchanges).map(recordedStep),
    () => true,
  );
  return Promise.resolve(
    values.reduce((sum, { uses, sources }) => sum + uses.length * sources.length, work.characters),
  );
}

/** Returns the work to verify a plan that sends the values of a recording as literals. */
async function workToVerify(calls: readonly CaseCall[]): Promise<number> {
  const requests = calls.map((call) => ({ ...call, response: {}, text: undefined }));
  const { plan } = convertHar(recordingOf(requests), {});
  const work = countWork(calls);
  await verifyPlan(plan, work.recording, {
    users: 1,
    iterations: 1,
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  return work.characters;
}

for (
  const [what, shapes, workFor] of [
    ["converting", SHAPES, workToConvert],
    ["verifying", LITERALS, workToVerify],
  ] as const
) {
  for (const [name, [full, create]] of Object.entries(shapes)) {
    Deno.test(`${what} ${full} ${name} takes linear work`, async () => {
      const half = await workFor(create(full / 2));
      const whole = await workFor(create(full));
      assert(whole < 2.2 * half, `${half}, ${whole}`);
    });
  }
}
