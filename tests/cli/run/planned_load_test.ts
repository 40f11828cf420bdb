import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { isPublicHost } from "../../../src/base/host_header.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
import { confirmRecorded } from "../../../src/cli/run/confirm_recorded.ts";
import { describeLoad } from "../../../src/cli/run/planned_load.ts";
import { RUN_FLAGS } from "../../../src/cli/run/run_flags.ts";
import type { Io } from "../../../src/cli/system/io.ts";
import type { Scenario } from "../../../src/plan/kinds/executors/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps/steps.ts";

const request: Step = { request: { url: "/" } };
const steady = {
  executor: "constant-arrival-rate",
  rate: 100,
  duration: "10s",
  pre_allocated_vus: 5,
} as const;
const open = { duration: "10s", pre_allocated_vus: 5 } as const;

Deno.test("describeLoad states the VUs, the duration, the expected requests and the peak rate", () => {
  const table: [Record<string, Scenario>, string][] = [
    [
      { s: { executor: "constant-arrival-rate", rate: 20, ...open, flow: [request, request] } },
      "1 scenario, at most 5 VUs, 10s, about 400 requests, peak 40/s",
    ],
    [
      {
        a: { executor: "constant-arrival-rate", rate: 20, ...open, flow: [request] },
        b: {
          executor: "constant-arrival-rate",
          rate: 5,
          ...open,
          start_time: "5s",
          flow: [request],
        },
        c: {
          executor: "constant-arrival-rate",
          rate: 30,
          ...open,
          start_time: "1m",
          flow: [request],
        },
      },
      "3 scenarios, at most 15 VUs, 1m10s, about 550 requests, peak 30/s",
    ],
    [
      {
        s: {
          executor: "ramping-arrival-rate",
          stages: [{ duration: "10s", target: 10 }, { duration: "10s", target: 0 }],
          pre_allocated_vus: 5,
          flow: [request],
        },
      },
      "1 scenario, at most 5 VUs, 20s, about 100 requests, peak 10/s",
    ],
    ...[{ start_time: "10s" }, { after: "a", start_time: 0 }].map(
      (start): [Record<string, Scenario>, string] => [
        {
          a: { ...steady, graceful_stop: 0, flow: [request] },
          b: { ...steady, ...start, flow: [request] },
        },
        `2 scenarios, at most 10 VUs, ${
          start.after ? "at most " : ""
        }20s, about 2,000 requests, peak 100/s`,
      ],
    ),
    [
      {
        a: { ...steady, start_time: "100ms", duration: "200ms", flow: [request] },
        b: { ...steady, start_time: "300ms", flow: [request] },
      },
      "2 scenarios, at most 10 VUs, 10s, about 1,020 requests, peak 100/s",
    ],
    [
      { a: { ...steady, flow: [request] }, b: { ...steady, start_time: "9s", flow: [request] } },
      "2 scenarios, at most 10 VUs, 19s, about 2,000 requests, peak 200/s",
    ],
    [
      { a: { ...steady, rate: 1, duration: "1s", flow: [request] } },
      "1 scenario, at most 5 VUs, 1s, about 1 request, peak 1/s",
    ],
    [
      { a: { ...steady, rate: 1, time_unit: "300ms", duration: "1s", flow: [request] } },
      "1 scenario, at most 5 VUs, 1s, about 4 requests, peak 3.333/s",
    ],
    [
      { s: { executor: "constant-vus", vus: 3, duration: "1m", flow: [request] } },
      "1 scenario, at most 3 VUs, 1m",
    ],
    [
      {
        a: {
          executor: "shared-iterations",
          vus: 2,
          iterations: 10,
          max_duration: "1m",
          flow: [request],
        },
        b: {
          executor: "per-vu-iterations",
          vus: 2,
          iterations: 3,
          after: "a",
          max_duration: "1m",
          flow: [request],
        },
      },
      "2 scenarios, at most 4 VUs, at most 2m30s, about 16 requests",
    ],
  ];
  for (const [scenarios, expected] of table) {
    assertEquals(describeLoad({ scenarios }), `Load: ${expected}`);
  }
});

Deno.test("isPublicHost is false for addresses and names of private networks", () => {
  const isPrivate = [
    ...["localhost", "127.0.0.1", "[::1]", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.1.1"],
    ...[
      "[fd00::1]",
      "[fe80::1]",
      "shop",
      "shop.internal",
      "shop.local",
      "shop.test",
      "a.home.arpa",
    ],
  ];
  const isPublic = ["shop.com", "8.8.8.8", "172.32.0.1", "11.0.0.1", "[2001:db8::1]", "test.org"];
  assertEquals(isPrivate.filter(isPublicHost), []);
  assertEquals(isPublic.filter(isPublicHost), isPublic);
});

Deno.test("run asks for confirmation before it sends recorded requests to a public host", () => {
  const asked: string[] = [];
  const io = (responds: boolean, isInteractive = true) =>
    ({
      isInteractive: () => isInteractive,
      confirm(question: string) {
        asked.push(question);
        return responds;
      },
    }) as unknown as Io;
  const plan = (tags?: Record<string, number>) => ({
    scenarios: {
      s: {
        executor: "per-vu-iterations" as const,
        vus: 1,
        iterations: 1,
        flow: [{ request: { url: "https://shop.com/", tags } }],
      },
    },
  });
  const recorded = plan({ recorded: 1 });
  const args = (...given: string[]) => readArgs(given, RUN_FLAGS);
  const shop = ["https://shop.com"];
  assertThrows(
    () => confirmRecorded(recorded, shop, args(), io(false)),
    UsageError,
    "nothing was sent to https://shop.com",
  );
  confirmRecorded(recorded, shop, args(), io(true));
  assertEquals(
    asked,
    Array(2).fill(
      "The requests of this plan were recorded. Send this load to https://shop.com?",
    ),
  );
  confirmRecorded(recorded, shop, args("--yes"), io(false));
  confirmRecorded(recorded, shop, args("--base-url", "https://shop.com/x"), io(false));
  confirmRecorded(recorded, shop, args(), io(false, false));
  confirmRecorded(recorded, ["http://127.0.0.1:80"], args(), io(false));
  confirmRecorded(plan(), shop, args(), io(false));
  assertEquals(asked.length, 2);
});
