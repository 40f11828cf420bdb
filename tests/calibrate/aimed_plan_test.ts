import { assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import {
  aimPlan,
  collapseDefaultHeaders,
  inlineDefaultHeaders,
} from "../../src/calibrate/aimed_plan.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { readSession } from "../../src/verify/recorded_session.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";

const headers = { Referer: "https://www.shop.example/" };
const RECORDING = recordingOf([
  { request: "GET https://www.shop.example/", type: "text/html", text: "" },
  ...[1, 2, 3].map((i) => ({ request: `GET https://t.tracker.example/${i}`, headers })),
]);

Deno.test("convert, verify and calibrate agree on the main origin of a recording", () => {
  const { plan } = convertHar(RECORDING, {});
  assertEquals(plan.defaults?.http?.base_url, "https://t.tracker.example");
  assertEquals(readSession(RECORDING)?.origin, "https://t.tracker.example");
  const withoutBase = { ...plan, defaults: undefined };
  const { recorded } = aimPlan(withoutBase, RECORDING, "http://127.0.0.1:8080", "session.har");
  assertEquals(recorded, "https://t.tracker.example");
});

Deno.test("inlineDefaultHeaders writes the headers into the requests of all flows, and collapseDefaultHeaders undoes it", () => {
  const { plan: { scenarios } } = convertHar(RECORDING, {});
  const setup = [{ request: { url: "/token" } }];
  const plan = {
    scenarios,
    setup,
    defaults: { http: { headers: { "X-Tenant": "acme" } } },
  } as Plan;
  const inlined = inlineDefaultHeaders(plan);
  assertEquals(inlined.setup?.[0].request?.headers, { "X-Tenant": "acme" });
  assertEquals(inlined.defaults?.http?.headers, undefined);
  const { defaults, setup: restored } = collapseDefaultHeaders(inlined, plan);
  assertEquals([defaults, restored], [plan.defaults, setup]);
});

Deno.test("collapseDefaultHeaders restores the headers of the requests in and after a WebSocket", () => {
  const own = { Accept: "*/*" };
  const plan = {
    scenarios: {
      user: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: [
          { websocket: { url: "/push", steps: [{ request: { url: "/a", headers: own } }] } },
          { request: { url: "/b" } },
        ],
      },
    },
    defaults: { http: { headers: own } },
  } as Plan;
  const restored = collapseDefaultHeaders(inlineDefaultHeaders(plan), plan);
  assertEquals(JSON.stringify(restored), JSON.stringify(plan));
});
