import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { join } from "@std/path";
import { PermissionError, UsageError } from "../../../src/base/errors.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
import { readOptions, toFlags } from "../../../src/cli/command/options.ts";
import { describeLoad, planFacts } from "../../../src/cli/run/planned_load.ts";
import { RUN_OPTIONS } from "../../../src/cli/run/run_options.ts";
import { selectedShard } from "../../../src/cli/run/shard_index.ts";
import { confirmRecorded, preflight } from "../../../src/cli/run/targets.ts";
import type { Io } from "../../../src/cli/system/io.ts";
import type { Scenario, ScenarioOf } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { targets } from "../../../src/plan/targets.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { scenarioOf } from "../../support/run_in_virtual_time.ts";

const request: Step = { request: { url: "/" } };
const steady = {
  executor: "constant-arrival-rate",
  rate: 100,
  duration: "10s",
  pre_allocated_vus: 5,
} as const;
const flow = [request];

const OPEN = "duration: 10s, pre_allocated_vus: 5";
/** Returns an open model with the given rate and other keys. */
const arrivals = (rate: number, more = OPEN, flow: Step[] = [request]) =>
  scenarioOf(`constant-arrival-rate, rate: ${rate}, ${more}`, flow);

Deno.test("describeLoad states the VUs, the duration, the expected requests and the peak rate", () => {
  const table: [Record<string, Scenario>, string][] = [
    [
      { s: arrivals(20, OPEN, [request, request]) },
      "1 scenario, at most 5 VUs, 10s, about 400 requests, peak 40/s",
    ],
    [
      {
        a: arrivals(20),
        b: arrivals(5, `${OPEN}, start_time: 5s`),
        c: arrivals(30, `${OPEN}, start_time: 1m`),
      },
      "3 scenarios, at most 15 VUs, 1m10s, about 550 requests, peak 30/s",
    ],
    [
      {
        s: scenarioOf(
          "ramping-arrival-rate, pre_allocated_vus: 5, " +
            "stages: [{duration: 10s, target: 10}, {duration: 10s, target: 0}]",
        ),
      },
      "1 scenario, at most 5 VUs, 20s, about 100 requests, peak 10/s",
    ],
    [
      {
        a: arrivals(100, `${OPEN}, graceful_stop: 0`),
        b: arrivals(100, `${OPEN}, start_time: 10s`),
      },
      "2 scenarios, at most 10 VUs, 20s, about 2,000 requests, peak 100/s",
    ],
    [
      { a: arrivals(100, `${OPEN}, graceful_stop: 0`), b: arrivals(100, `${OPEN}, after: a`) },
      "2 scenarios, at most 10 VUs, at most 20s, about 2,000 requests, peak 100/s",
    ],
    [
      {
        a: arrivals(100, "start_time: 100ms, duration: 200ms, pre_allocated_vus: 5"),
        b: arrivals(100, `${OPEN}, start_time: 300ms`),
      },
      "2 scenarios, at most 10 VUs, 10s, about 1,020 requests, peak 100/s",
    ],
    [
      { a: arrivals(100), b: arrivals(100, `${OPEN}, start_time: 9s`) },
      "2 scenarios, at most 10 VUs, 19s, about 2,000 requests, peak 200/s",
    ],
    [
      { a: arrivals(1, "duration: 1s, pre_allocated_vus: 5") },
      "1 scenario, at most 5 VUs, 1s, about 1 request, peak 1/s",
    ],
    [
      { a: arrivals(1, "time_unit: 300ms, duration: 1s, pre_allocated_vus: 5") },
      "1 scenario, at most 5 VUs, 1s, about 4 requests, peak 3.333/s",
    ],
    [{ s: scenarioOf("constant-vus, vus: 3, duration: 1m") }, "1 scenario, at most 3 VUs, 1m"],
    [
      {
        a: scenarioOf("shared-iterations, vus: 2, iterations: 10, max_duration: 1m"),
        b: scenarioOf("per-vu-iterations, vus: 2, iterations: 3, after: a, max_duration: 1m"),
      },
      "2 scenarios, at most 4 VUs, at most 2m30s, about 16 requests",
    ],
  ];
  for (const [scenarios, expected] of table) {
    assertEquals(describeLoad(planFacts({ scenarios })), `Load: ${expected}`);
  }
});

Deno.test("describeLoad describes only the shard that runs", () => {
  assertEquals(
    describeLoad(planFacts({ scenarios: { a: arrivals(30) } }, { index: 0, of: 3 })),
    "Load: 1 scenario, at most 2 VUs, 10s, about 100 requests, peak 10/s",
  );
});

Deno.test("planFacts adds the graceful_stop of a scenario to the start time of the next one", () => {
  const scenarios = {
    a: { ...steady, flow, graceful_stop: "20s" },
    b: { ...steady, flow, after: "a", start_time: "5s" },
    c: { ...steady, flow, after: "b" },
  };
  const times = planFacts({ scenarios }).scenarios.map((
    { startSeconds, endSeconds },
  ) => [startSeconds, endSeconds]);
  assertEquals(times, [[0, 10], [35, 45], [75, 85]]);
});

Deno.test("planFacts includes the handshakes of WebSockets", () => {
  const socket: Step = { websocket: { url: "ws://a.example/", steps: [{ wait: "1s" }] } };
  const scenarios = { a: { ...steady, rate: 10, flow: [socket] } };
  const { requests, peakRequestRate } = planFacts({ scenarios });
  assertEquals([requests, peakRequestRate], [100, 10]);
});

Deno.test("planFacts predicts the peak rate if stages change it suddenly", () => {
  const stages = [["20s", 5], ["0s", 40], ["10s", 40], ["0s", 10], ["30s", 10]] as const;
  assertEquals(planFacts({ scenarios: { a: ramping(5, stages) } }).peakRequestRate, 40);
});

Deno.test("planFacts ignores rates that last 0 s", () => {
  const stages = [["0s", 500], ["0s", 20], ["10s", 20], ["0s", 900]] as const;
  const { scenarios: [{ peakRate }] } = planFacts({ scenarios: { a: ramping(100, stages) } });
  assertEquals(peakRate, 20);
});

function ramping(
  start_rate: number,
  stages: readonly (readonly [duration: string, target: number])[],
): ScenarioOf<"ramping-arrival-rate"> {
  return {
    executor: "ramping-arrival-rate",
    start_rate,
    stages: stages.map(([duration, target]) => ({ duration, target })),
    pre_allocated_vus: 5,
    flow: [request],
  };
}

const PLAN = `scenarios:
  replayed:
    executor: constant-arrival-rate
    rate: 2
    duration: 1s
    pre_allocated_vus: 9
    max_vus: 18
    flow:
      - request: {url: /}
`;
Deno.test("run reports that --duration does not extend scenarios with a fixed number of iterations", async () => {
  using folder = new CliFolder();
  const path = join(folder.path, "plan.yaml");
  await Deno.writeTextFile(
    path,
    "scenarios:\n  recorded: {executor: per-vu-iterations, vus: 2, iterations: 3, " +
      "flow: [{request: {url: /}}]}\n",
  );
  const stderr = async (...options: string[]) =>
    (await runCli(["run", path, "--duration", "20s", ...options])).stderr;
  assertStringIncludes(
    await stderr(),
    "--duration only limits recorded, which ends after 6 iterations; to repeat its flow for 20s, " +
      "change its executor to `constant-vus`\n",
  );
  for (const options of [["--iterations", "9"], ["--once"]]) {
    assertEquals((await stderr(...options)).includes("only limits"), false);
  }
  await Deno.writeTextFile(path, PLAN);
  assertEquals((await stderr()).includes("only limits"), false);
});

Deno.test("run states the allowed range of a value that it rejects", async () => {
  const table: [string[], string][] = [
    [["--duration", "-5s"], "--duration cannot be -5s: expected a duration above 0, such as 30s"],
    [["--duration", "0"], "--duration cannot be 0: expected a duration above 0, such as 30s"],
    [["--vus", "-3"], "--vus cannot be -3: expected a whole number of at least 1"],
    [["--rate", "-.5"], "--rate cannot be -.5: expected a number above 0"],
    [["--rate", "1e999"], "--rate cannot be 1e999: expected a number above 0"],
    [["--rate", "1e12"], "1000000000000 exceeds the limit of 10000000"],
  ];
  for (const [options, message] of table) {
    const { code, stderr } = await runCli(["run", "http://127.0.0.1:1/", ...options]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
  }
});

const URL_OF_TARGET = "http://127.0.0.1:1/";

/** Runs `rehearse run URL` with `options`. Returns the exit code and standard error. */
async function failure(...options: string[]) {
  const { code, stderr } = await runCli(["run", URL_OF_TARGET, ...options]);
  return { code, stderr };
}

Deno.test("run rejects more VUs than one machine can run", async () => {
  const { code, stderr } = await failure("--vus", "100001", "--duration", "1s");
  assertEquals(code, 2);
  assertMatch(stderr, /^error: cannot run 100,001 VUs on one machine: the limit is 100,000; /);
});

Deno.test("run checks its options before it prints the targets", async () => {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { port } = server.addr as Deno.NetAddr;
    for (const options of [["--ui", "--once"], [`--ui=${port}`], ["--workers", "0"]]) {
      const { code, stderr } = await failure(...options);
      assertEquals(code > 0, true);
      assertMatch(stderr, /^error: /, options.join(" "));
    }
  } finally {
    server.close();
  }
});

const env = (values: Record<string, string>) => (name: string) => values[name];

Deno.test("--shard auto reads the index and the number of processes from the scheduler", () => {
  const read = (values: Record<string, string>, shards?: number) =>
    selectedShard("auto", shards, env(values));
  assertEquals(read({ JOB_COMPLETION_INDEX: "2" }, 5), { index: 2, of: 5 });
  assertEquals(read({ SLURM_PROCID: "0", SLURM_NTASKS: "4" }), { index: 0, of: 4 });
  assertEquals(read({ NOMAD_ALLOC_INDEX: "1" }, 2), { index: 1, of: 2 });
  assertEquals(
    read({ AWS_BATCH_JOB_ARRAY_INDEX: "9", AWS_BATCH_JOB_ARRAY_SIZE: "10" }),
    { index: 9, of: 10 },
  );
});

Deno.test("--shard auto lists the variables that are missing or invalid", () => {
  const cases: readonly (readonly [Record<string, string>, number | undefined, string])[] = [
    [{}, 3, "none is set"],
    [{ JOB_COMPLETION_INDEX: "0" }, undefined, "Kubernetes does not pass the number of processes"],
    [
      { JOB_COMPLETION_INDEX: "3" },
      3,
      "JOB_COMPLETION_INDEX is 3 (counting from 0), but there are only 3",
    ],
    [{ SLURM_PROCID: "-1" }, 3, "SLURM_PROCID cannot be -1"],
  ];
  for (const [values, shards, text] of cases) {
    assertThrows(() => selectedShard("auto", shards, env(values)), UsageError, text);
  }
});

Deno.test("--shard I/N must agree with --shards", () => {
  const second = { index: 1, of: 3 };
  assertEquals(selectedShard(second, undefined, env({})), second);
  assertEquals(selectedShard(second, 3, env({})), second);
  assertThrows(() => selectedShard(second, 4, env({})), UsageError, "differ");
});

const SHOP = "https://www.shop.com";

/** Creates a plan that sends requests to these URLs, as if they were recorded. */
function recordedPlan(urls: readonly string[], http: object = {}): Plan {
  const flow = urls.map((url) => ({ request: { url, tags: { recorded: "1" } } }));
  return {
    defaults: { http: { base_url: SHOP, ...http } },
    scenarios: { s: { executor: "per-vu-iterations", vus: 1, iterations: 10, flow } },
  };
}

/** Runs `confirmRecorded`. Returns the lines of the question, and the warning or the error. */
function confirmed(plan: Plan, given: readonly string[], response?: boolean) {
  let asked: string[] = [];
  const io = {
    isInteractive: () => response !== undefined,
    confirm: (question: string) => (asked = question.split("\n"), response!),
  } as unknown as Io;
  const options = readOptions(RUN_OPTIONS, readArgs(given, toFlags(RUN_OPTIONS)));
  const confirm = () =>
    confirmRecorded(plan, targets(plan, () => undefined), "Load: small", options, io);
  const result = response === false ? assertThrows(confirm, UsageError).message : confirm();
  return { asked, result };
}

const MIXED = [
  "/",
  "https://t.tracker.com/1",
  "https://api.shop.com/me",
  "https://t.tracker.com/2",
  "https://ads.com/",
];

Deno.test("run asks for confirmation before it sends recorded requests to a public host", () => {
  const { asked, result } = confirmed(recordedPlan(["/", "/cart"]), [], false);
  assertEquals(asked, [
    "The requests in this plan come from a recording.",
    "Load: small",
    "Hosts: https://www.shop.com",
    "Send this load to this host?",
  ]);
  assertEquals(
    result,
    "nothing was sent to https://www.shop.com; use `--base-url` to select a test system, or " +
      "`--yes` to send this load",
  );
  assertEquals(confirmed(recordedPlan(["/"]), [], true).result, "");
});

Deno.test("run does not ask about private hosts, hosts that the command line names, and plans that are not recorded", () => {
  const typed = recordedPlan([]);
  const flow = [{ request: { url: "/" } }];
  const cases: [plan: Plan, given?: string[]][] = [
    [recordedPlan(MIXED), ["--yes"]],
    [recordedPlan(["/"]), ["--base-url", `${SHOP}/x`]],
    [
      recordedPlan(["/"], { base_url: "https://WWW.shop.com:443" }),
      ["--base-url", "https://WWW.shop.com:443"],
    ],
    [recordedPlan(["/"], { base_url: "http://127.0.0.1:80" })],
    [
      recordedPlan(MIXED.slice(1, 2), {
        base_url: undefined,
        hosts: { "t.tracker.com": "127.0.0.1" },
      }),
    ],
    [{ ...typed, scenarios: { s: { ...typed.scenarios.s, flow } as Plan["scenarios"][string] } }],
  ];
  for (const [plan, given = []] of cases) {
    assertEquals(confirmed(plan, given, true), { asked: [], result: "" });
  }
});

Deno.test("run lists third-party hosts last", () => {
  const { asked, result } = confirmed(recordedPlan(MIXED), [], false);
  assertEquals(asked.slice(2), [
    "Hosts: https://www.shop.com, https://api.shop.com",
    "Third-party hosts, which may not be yours: https://t.tracker.com, https://ads.com",
    "Send this load to all of these hosts?",
  ]);
  assert(result.endsWith("; to omit third-party hosts, convert with `--origin HOST,…`"), result);
  const moved = recordedPlan(MIXED.toSpliced(2, 1), { base_url: "https://staging.net" });
  assertEquals(confirmed(moved, ["--base-url", "https://staging.net"], true).asked.slice(2, 3), [
    "Third-party hosts, which may not be yours: https://t.tracker.com, https://ads.com",
  ]);
});

Deno.test("run does not treat a host as third-party if the host or the base URL is known only during the run", () => {
  const unknown = recordedPlan(["/", "https://api.shop.com/me"], {
    base_url: "https://${data.sites.host}",
  });
  assertEquals(confirmed(unknown, []).result, "");
  assert(!confirmed(unknown, [], true).asked.join().includes("Third-party"));
  const templated = recordedPlan(["/", "https://api.${data.sites.host}/", "https://ads.com/"]);
  assertEquals(confirmed(templated, [], true).asked.slice(2, 4), [
    "Hosts: https://www.shop.com, https://api.${data.sites.host}",
    "Third-party hosts, which may not be yours: https://ads.com",
  ]);
});

Deno.test("run warns about third-party hosts if it cannot ask for confirmation", () => {
  assertEquals(confirmed(recordedPlan(MIXED), []), {
    asked: [],
    result: "warning: this plan sends recorded requests to third-party hosts (the base URL " +
      "is https://www.shop.com): https://t.tracker.com, https://ads.com; to omit third-party " +
      "hosts, convert with `--origin HOST,…`, or add `--yes` if you are allowed to test them\n",
  });
  const hosts = { "t.tracker.com": "127.0.0.1:80", "ads.com": "127.0.0.1:80" };
  const silent = [
    recordedPlan(["/", "https://api.shop.com/me", "http://127.0.0.1/"]),
    recordedPlan(MIXED, { hosts }),
  ];
  for (const plan of silent) assertEquals(confirmed(plan, []).result, "");
});

Deno.test("preflight reports the flag that lets a plan connect to its target", async () => {
  await assertRejects(
    () => preflight(recordedPlan(["/"]), "plan.yaml", () => undefined),
    PermissionError,
    "cannot connect to www.shop.com:443: the permission is missing; add " +
      "`--allow-net=www.shop.com:443` to `deno run`",
  );
});
