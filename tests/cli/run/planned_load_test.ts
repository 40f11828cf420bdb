import { assert, assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/base/errors.ts";
import { isPublicHost } from "../../../src/base/host_header.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
import { readOptions, toFlags } from "../../../src/cli/command/options.ts";
import { describeLoad, planFacts } from "../../../src/cli/run/planned_load.ts";
import { confirmRecorded, describeRequests } from "../../../src/cli/run/targets.ts";
import { RUN_OPTIONS } from "../../../src/cli/run/run_options.ts";
import type { Io } from "../../../src/cli/system/io.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { Shard } from "../../../src/plan/partition.ts";
import { targets } from "../../../src/plan/targets.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";

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
    assertEquals(describeLoad(planFacts({ scenarios })), `Load: ${expected}`);
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

/** Creates a plan that sends requests to these URLs, as if they were recorded. */
function recordedPlan(urls: readonly string[], change: Partial<Plan> = {}): Plan {
  const flow = urls.map((url) => ({ request: { url, tags: { recorded: "1" } } }));
  return {
    defaults: { http: { base_url: "https://www.shop.com" } },
    scenarios: { s: { executor: "per-vu-iterations", vus: 1, iterations: 10, flow } },
    ...change,
  };
}

/** Runs `confirmRecorded`. Returns the questions, the warning, and the error's message. */
function confirmed(
  plan: Plan,
  { given = [], responds = true, isInteractive = true, shard }: {
    given?: readonly string[];
    responds?: boolean;
    isInteractive?: boolean;
    shard?: Shard;
  } = {},
) {
  const asked: string[] = [];
  const io = {
    isInteractive: () => isInteractive,
    confirm(question: string) {
      asked.push(question);
      return responds;
    },
  } as unknown as Io;
  const options = readOptions(RUN_OPTIONS, readArgs(given, toFlags(RUN_OPTIONS)));
  const confirm = () => confirmRecorded(plan, targets(plan, () => undefined), shard, options, io);
  if (responds) return { asked, warning: confirm() };
  return { asked, error: assertThrows(confirm, UsageError).message };
}

Deno.test("describeLoad and the confirmation question describe only the shard that runs", () => {
  const shard = { index: 0, of: 3 };
  const { flow } = recordedPlan(["/", "/cart"]).scenarios.s;
  const arrivals: Scenario = {
    executor: "constant-arrival-rate",
    rate: 30,
    ...open,
    flow: [request],
  };
  assertEquals(
    describeLoad(planFacts({ scenarios: { arrivals } }, shard)),
    "Load: 1 scenario, at most 2 VUs, 10s, about 100 requests, peak 10/s",
  );
  const ten = { s: { executor: "per-vu-iterations", vus: 10, iterations: 1, flow } } as const;
  const question = (plan: Plan, index: number) => {
    const { asked } = confirmed(plan, { shard: { ...shard, index } });
    return /\((.*)\)/.exec(asked.join())?.[1];
  };
  const both = recordedPlan([], { scenarios: ten });
  assertEquals(question(both, 0), "8 requests");
  assertEquals(question(both, 1), "6 requests");
  // Each shard runs the steps of `setup` once.
  const setup = [{ request: { url: "/login" } }];
  assertEquals(question({ ...both, setup }, 2), "7 requests");
});

Deno.test("run asks for confirmation before it sends recorded requests to a public host", () => {
  const recorded = recordedPlan(["/", "/cart"]);
  const { asked, error } = confirmed(recorded, { responds: false });
  assertEquals(asked, [
    "The requests in this plan come from a recording. " +
    "Send this load to https://www.shop.com (20 requests)?",
  ]);
  assertEquals(
    error,
    "nothing was sent to https://www.shop.com; use `--base-url` to select a test system, or " +
      "`--yes` to send this load",
  );
  const unasked = { asked: [], warning: "" };
  assertEquals((confirmed(recorded)).warning, "");
  assertEquals(confirmed(recorded, { given: ["--yes"] }), unasked);
  const given = ["--base-url", "https://www.shop.com/x"];
  assertEquals(confirmed(recorded, { given }), unasked);
  const written = { defaults: { http: { base_url: "https://WWW.shop.com:443" } } };
  const again = ["--base-url", "https://WWW.shop.com:443"];
  assertEquals(confirmed(recordedPlan(["/"], written), { given: again }), unasked);
  assertEquals(confirmed(recorded, { isInteractive: false }), unasked);
  const local = { defaults: { http: { base_url: "http://127.0.0.1:80" } } };
  assertEquals(confirmed(recordedPlan(["/"], local)), unasked);
  const flow = [{ request: { url: "/" } }];
  const own = { s: { executor: "per-vu-iterations", vus: 1, iterations: 1, flow } } as const;
  assertEquals(confirmed(recordedPlan([], { scenarios: own })), unasked);
});

const MIXED = [
  "/",
  "https://t.tracker.com/1",
  "https://api.shop.com/me",
  "https://t.tracker.com/2",
  "https://ads.com/",
];

Deno.test("run lists third-party hosts with the number of requests expected for each", () => {
  const { asked, error } = confirmed(recordedPlan(MIXED), { responds: false });
  assertEquals(
    asked[0].split("\n"),
    [
      "The requests in this plan come from a recording.",
      "Hosts of the site under test:",
      "  https://www.shop.com (10 requests)",
      "  https://api.shop.com (10 requests)",
      "Third-party hosts, which may not be yours:",
      "  https://t.tracker.com (20 requests)",
      "  https://ads.com (10 requests)",
      "Send this load to all of these hosts?",
    ],
  );
  assert(error?.endsWith("; to omit third-party hosts, convert with `--origin HOST,…`"), error);
  const once = confirmed(recordedPlan(MIXED), { given: ["--once"] });
  assert(once.asked[0].includes("  https://t.tracker.com (2 requests)"), once.asked[0]);
});

Deno.test("run does not treat a host as third-party if the host or the base URL is known only during the run", () => {
  const http = { base_url: "https://${data.sites.host}" };
  const unknown = recordedPlan(["/", "https://api.shop.com/me"], { defaults: { http } });
  assertEquals((confirmed(unknown, { isInteractive: false })).warning, "");
  const { asked } = confirmed(unknown);
  assert(!asked[0].includes("Third-party"), asked[0]);
  assert(!asked[0].includes("site under test"), asked[0]);
  const templated = recordedPlan(["/", "https://api.${data.sites.host}/", "https://ads.com/"]);
  const { warning = "" } = confirmed(templated, { isInteractive: false });
  assert(warning.includes("https://ads.com (10 requests)"), warning);
  assert(!warning.includes("data.sites"), warning);
  const listed = confirmed(templated);
  assertEquals(listed.asked[0].split("\n").slice(3, 7), [
    "Hosts that are known only during the run:",
    "  https://api.${data.sites.host} (10 requests)",
    "Third-party hosts, which may not be yours:",
    "  https://ads.com (10 requests)",
  ]);
});

Deno.test("run lists only third-party hosts if `--base-url` specifies the site under test", () => {
  const moved = recordedPlan(MIXED, { defaults: { http: { base_url: "https://staging.net" } } });
  const { asked } = confirmed(moved, { given: ["--base-url", "https://staging.net"] });
  assertEquals(asked[0].split("\n").slice(1, 3), [
    "Third-party hosts, which may not be yours:",
    "  https://t.tracker.com (20 requests)",
  ]);
});

Deno.test("run warns about third-party hosts if it cannot ask for confirmation", () => {
  const unattended = { isInteractive: false };
  assertEquals(confirmed(recordedPlan(MIXED), unattended), {
    asked: [],
    warning: "warning: this plan sends recorded requests to third-party hosts (the base URL " +
      "is https://www.shop.com): https://t.tracker.com (20 requests), https://ads.com (10 requests); " +
      "to omit third-party hosts, convert with `--origin HOST,…`, or add `--yes` if you are " +
      "allowed to test them\n",
  });
  const own = recordedPlan(["/", "https://api.shop.com/me", "http://127.0.0.1/"]);
  assertEquals((confirmed(own, unattended)).warning, "");
  assertEquals(
    (confirmed(recordedPlan(MIXED), { ...unattended, given: ["--yes"] })).warning,
    "",
  );
  const hosts = { "t.tracker.com": "127.0.0.1:80", "ads.com": "127.0.0.1:80" };
  const mapped = { defaults: { http: { base_url: "https://www.shop.com", hosts } } };
  assertEquals((confirmed(recordedPlan(MIXED, mapped), unattended)).warning, "");
});

Deno.test("describeRequests counts the requests whose URL matches a predicate", () => {
  const flow = [
    { request: { url: "/a" } },
    { random: { choices: [{ steps: [{ request: { url: "/b" } }] }, { steps: [] }] } },
    {
      retry: {
        attempts: 3,
        until: { type: "status", equals: 200 } as const,
        steps: [{ request: { url: "/c" } }],
      },
    },
  ];
  const counted = (plan: Omit<Plan, "defaults">, url: string, once = false) =>
    describeRequests(plan, (one) => one === url, once);
  const scenarios: Record<string, Scenario> = {
    a: { executor: "per-vu-iterations", vus: 2, iterations: 500, flow },
    b: { ...steady, flow },
  };
  const plan = { scenarios, setup: [{ request: { url: "/a" } }] };
  assertEquals(counted(plan, "/a"), "2,001 requests");
  assertEquals(counted(plan, "/b"), "1,000 requests");
  assertEquals(counted(plan, "/c"), "at least 2,000 requests");
  assertEquals(counted(plan, "/d"), "0 requests");
  assertEquals(counted(plan, "/a", true), "3 requests");
  const closed = { s: { executor: "constant-vus", vus: 1, duration: "1m", flow } as const };
  assertEquals(counted({ scenarios: closed }, "/b"), "1 request per iteration");
});

Deno.test("describeRequests describes scenarios with an unknown number of iterations", () => {
  const described = (flows: readonly Scenario["flow"][], rest: Omit<Plan, "scenarios"> = {}) => {
    const closed = flows.map((flow, i): [string, Scenario] => [
      `s${i}`,
      { executor: "constant-vus", vus: 1, duration: "1m", flow },
    ]);
    return describeRequests({ ...rest, scenarios: Object.fromEntries(closed) }, () => true, false);
  };
  const condition = { type: "status", equals: 200 } as const;
  assertEquals(
    described([[{ if: { condition, then: [request] } }]]),
    "0 to 1 request per iteration",
  );
  assertEquals(
    described([[{ during: { duration: "1s", steps: [request] } }]]),
    "at least 1 request per iteration",
  );
  assertEquals(described([[request], [request, request]]), "1 to 2 requests per iteration");
  assertEquals(
    described([[request]], { setup: [request, request] }),
    "2 requests, plus 1 request per iteration",
  );
});
