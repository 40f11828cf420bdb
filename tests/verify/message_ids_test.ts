import { assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { verified } from "../support/verified.ts";

const START: CaseCall = { request: "GET /start", response: {}, at: [-50, -40] };
const CREATE = '> {"type":"create"}';

/** Returns a call that opens a WebSocket, with messages at intervals of 20 ms. */
function socket(...messages: (`> ${string}` | `< ${string}`)[]): CaseCall {
  const timed = messages.map((message, i) => [10 + 20 * i, message]);
  return { request: "WS /live", at: [0, 5], messages: Object.fromEntries(timed) };
}

/** Verifies a plan that sends the recorded value 312, and lists the findings about this value. */
async function reportedFor(calls: CaseCall[]): Promise<string[]> {
  const recording = recordingOf(calls);
  const plan = withNumber(convertHar(recording, {}).plan, "312");
  const { stale, unproven } = await verified(plan, recording, { users: 2, iterations: 2 });
  return [
    ...stale.map(({ place, value }) => `stale ${place} ${value}`),
    ...unproven.filter(({ reason }) => reason !== "same text").map(({ place, value }) =>
      `unproven ${place} ${value}`
    ),
  ];
}

/** Returns a copy of a plan in which a number replaces each reference to a variable. */
function withNumber(plan: Plan, number: string): Plan {
  const numberLeaf = /"\$\{\w+\}"(?!:)/g;
  return JSON.parse(
    JSON.stringify(plan).replace(numberLeaf, number).replace(/\$\{\w+\}/g, number),
  );
}

/** Calls, and what `verify` reports if a plan sends the number 312 as recorded. */
const CASES: readonly [rule: string, calls: CaseCall[], reported: string[]][] = [
  ["in a message", [
    START,
    socket(CREATE, '< {"type":"created","order_id":312}', '> {"type":"open","order_id":312}'),
  ], ["stale json $.order_id 312"]],
  ["in a Socket.IO message", [
    START,
    socket(CREATE, '< 42["created",{"order_id":312}]', '> 42["open",{"order_id":312}]'),
  ], ["stale json $[1].order_id 312"]],
  ["in a Socket.IO message, as the argument of an event that names the object", [
    START,
    socket(CREATE, '< 42["created",{"order_id":312}]', '> 42["open order",312]'),
  ], ["stale json $[1] 312"]],
  ["in a SockJS message", [
    START,
    socket(
      CREATE,
      '< a["{\\"order_id\\":312}"]',
      '> ["{\\"type\\":\\"open\\",\\"order_id\\":312}"]',
    ),
  ], ["stale json $[0] $.order_id 312"]],
  ["in a STOMP message", [
    START,
    socket(
      CREATE,
      '< MESSAGE\ndestination:/topic/orders\n\n{"order_id":312}\0',
      '> SEND\ndestination:/app/orders\n\n{"order_id":312}\0',
    ),
  ], ["stale json $.order_id 312"]],
  ["in a message, although the names do not contain the kind of object", [
    START,
    socket(CREATE, '< {"type":"created","id":312}'),
    { request: "GET /orders/312", response: {}, at: [200, 250] },
  ], ["unproven path segment 2 312"]],
  ["in a message that a request returned", [
    { request: "POST /orders", json: {}, response: { order_id: 312 }, at: [-50, -40] },
    socket('> 42["open",{"order_id":312}]', "< 42[1]"),
  ], ["stale json $[1].order_id 312"]],
  ["in a message that no response contained", [
    START,
    socket(CREATE, '< {"type":"created","order_id":313}', '> 42["open",{"order_id":312}]'),
  ], []],
  ["in a message as a count", [
    START,
    socket(CREATE, '< {"type":"created","id":7,"count":312}', '> 42["list",{"limit":312}]'),
  ], []],
];

for (const [rule, calls, reported] of CASES) {
  Deno.test(`verifyPlan ${reported.length > 0 ? "reports" : "does not report"} a recorded short id ${rule}`, async () => {
    assertEquals(await reportedFor(calls), reported);
  });
}
