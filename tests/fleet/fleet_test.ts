import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { mergeSummaries } from "../../src/engine/metrics/merge_summaries.ts";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { Channel, decodeMessage } from "../../src/fleet/channel.ts";
import { type JoinOutcome, Outbox } from "../../src/fleet/run_reported_shard.ts";
import type { DeltaCounts } from "../../src/fleet/shard_counts.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { BusyClock } from "../support/busy_clock.ts";
import { MemoryHub } from "../support/memory_bus.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../support/run_in_virtual_time.ts";
import { VirtualClock } from "../support/virtual_clock.ts";
import { type StartedJoiner, VirtualFleet } from "../support/virtual_fleet.ts";

const plan = singleScenarioPlan(
  scenarioOf("constant-arrival-rate, rate: 40, duration: 10s, pre_allocated_vus: 20", [
    { request: { url: "/a?${vu}", name: "a", checks: [{ type: "status", equals: 200 }] } },
    { request: { url: "/b", name: "b" } },
  ]),
  { thresholds: { http_req_failed: ["rate<0.5"], "http_reqs{name:a}": ["count==400"] } },
);

const failing = {
  ...plan,
  thresholds: { http_req_failed: [{ threshold: "rate<0.1", abort_on_fail: true }] },
} satisfies Plan;

/** Responses with different durations and failures, so that all counts differ. */
const respond = (sent: { target: string }, n: number) => ({
  ms: 5 + n % 7 * 13 + (sent.target === "/b" ? 100 : 0),
  status: n % 11 === 0 ? 503 : 200,
});

async function results(
  fleet: VirtualFleet,
  leader: { ended: Promise<Summary | Error> },
  joiners: readonly StartedJoiner[],
): Promise<{ summary: Summary; shards: JoinOutcome[] }> {
  const [summary, ...shards] = await fleet.drive(
    Promise.all([leader.ended, ...joiners.map(({ ended }) => ended)]),
  );
  if (summary instanceof Error) throw summary;
  return {
    summary: summary as Summary,
    shards: shards.map((shard) => {
      if (shard instanceof Error) throw shard;
      return shard as JoinOutcome;
    }),
  };
}

function requests({ metrics }: Summary): number {
  return (metrics.http_reqs as CounterStats).count;
}

function message(result: unknown): string {
  if (result instanceof Error) return result.message;
  throw new Error("expected an error");
}

function withoutRounding({ endpoints, ...summary }: Summary) {
  const { started_at: _, shards: __, environment: ___, ...rest } = summary;
  return {
    ...rest,
    endpoints: endpoints.map(({ series, ...endpoint }) => ({
      ...endpoint,
      series: { ...series, avg: series?.avg.map((ms) => Math.round(ms * 10)) },
    })),
  };
}

Deno.test("fleet: the merged counts equal the merged summaries of the shards", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 3 });
  const joiners = [1, 2, 3].map(() => fleet.join({ respond }));
  const { summary, shards } = await results(fleet, leader, joiners);
  const merged = mergeSummaries(shards.map(({ summary }) => summary));
  assertEquals(withoutRounding(summary), withoutRounding(merged));
  assertEquals(summary.thresholds.map(({ passed }) => passed), [true, true]);
  assertEquals([requests(summary), summary.passed], [800, true]);
});

Deno.test("fleet: the shards get the files of a replay, and send each recorded visit once", async () => {
  const starts = Array.from({ length: 90 }, (_, i) => `${i},1`).join("\n");
  const rows = Array.from({ length: 90 }, (_, i) => `${i},0,a,${i}/1\n,0.5,a,${i}/2\n`).join("");
  const files = {
    "starts.csv": `second,starts\n${starts}\n`,
    "visits.csv": `start,pause,request,url\n${rows}`,
  };
  const replay = singleScenarioPlan(
    scenarioOf(
      "recorded-arrivals, path: starts.csv, rate: 1, duration: 90s, pre_allocated_vus: 30",
      [{
        visits: {
          data: "visits",
          requests: [{
            name: "a",
            steps: [{ request: { name: "a", url: "/${data.visits.url}" } }],
          }],
        },
      }],
    ),
    { data: { visits: { type: "csv", path: "visits.csv" } } },
  );
  const fleet = new VirtualFleet();
  const leader = fleet.lead(replay, { shards: 3, files });
  const joiners = [1, 2, 3].map(() => fleet.join({}));
  await results(fleet, leader, joiners);
  const sent = joiners.map((joiner) => joiner.sent().map(({ target }) => target));
  for (const targets of sent) assertEquals(targets.length, 60);
  assertEquals(new Set(sent.flat()).size, 180);
});

Deno.test("fleet: the shards together send the requests of the plan at the same times as a single process", async () => {
  const alone = await runInVirtualTime(plan, { seed: 1 });
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 4 });
  const joiners = [0, 30_000, -30_000, 12.5].map((aheadMs) => fleet.join({ aheadMs }));
  const { summary } = await results(fleet, leader, joiners);
  const times = (sent: readonly { at: number; target: string }[]) => {
    const first = Math.min(...sent.map(({ at }) => at));
    return sent.map(({ at, target }) => `${Math.round(at - first)} ${target.slice(0, 2)}`).sort();
  };
  assertEquals(times(joiners.flatMap(({ sent }) => sent())), times(alone.sent));
  assertEquals(summary.passed, true);
});

Deno.test("fleet: a threshold with abort_on_fail stops all shards", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(failing, { shards: 2 });
  const joiners = [1, 2].map(() => fleet.join({ respond: () => ({ status: 500 }) }));
  const { summary, shards } = await results(fleet, leader, joiners);
  assertEquals([summary.ending, summary.passed], ["threshold", false]);
  assertEquals(summary.shards.map(({ ending }) => ending), ["threshold", "threshold"]);
  assert(summary.duration_ms < 3_000, String(summary.duration_ms));
  assertEquals(shards.map(({ problem }) => problem), [undefined, undefined]);
});

Deno.test("fleet: Ctrl-C at the leader stops all shards and keeps their results", async () => {
  const fleet = new VirtualFleet();
  const stop = new AbortController();
  let seconds = 0;
  const leader = fleet.lead({ ...plan, thresholds: { http_req_failed: ["rate<0.5"] } }, {
    shards: 2,
    stop: stop.signal,
    onTick: () => ++seconds === 4 && stop.abort(),
  });
  const { summary } = await results(fleet, leader, [fleet.join(), fleet.join()]);
  assertEquals([summary.ending, summary.passed], ["interrupted", null]);
  assert(requests(summary) > 200 && requests(summary) < 500, String(requests(summary)));
});

Deno.test("fleet: shows the combined progress of all shards every second", async () => {
  const fleet = new VirtualFleet();
  const started: number[] = [];
  const leader = fleet.lead(plan, {
    shards: 2,
    onTick: ({ last, thresholds }) => {
      started.push(last.started);
      assertEquals(thresholds.length, 2);
    },
  });
  await results(fleet, leader, [fleet.join(), fleet.join()]);
  assertEquals(started.slice(0, 10), Array(10).fill(40));
});

Deno.test("fleet: progress contains the endpoints and checks of all shards on request", async () => {
  const counts: number[] = [];
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, {
    shards: 2,
    details: true,
    onTick: ({ details, requests }) => {
      const { endpoints, checks } = details!;
      assertEquals(endpoints.map(({ name }) => name).sort(), ["a", "b"]);
      assertEquals(endpoints.reduce((sum, { count }) => sum + count, 0), requests);
      counts.push(checks[0].passes + checks[0].fails);
    },
  });
  const { summary } = await results(fleet, leader, [
    fleet.join({ respond }),
    fleet.join({ respond }),
  ]);
  assertEquals(counts.length >= 10, true);
  assertEquals(counts.at(-1), summary.checks[0].passes + summary.checks[0].fails);
});

Deno.test("fleet: the leader sends data files to the shards, and together they use each row once", async () => {
  const rows = Array.from({ length: 25 }, (_, id) => id);
  const withData: Plan = singleScenarioPlan(
    scenarioOf("shared-iterations, vus: 30, iterations: 100", [{
      request: { url: "/${data.d.id}" },
    }]),
    { data: { d: { type: "csv", path: "ids.csv", pick: "shuffle", on_eof: "stop" } } },
  );
  const fleet = new VirtualFleet();
  const files = { "ids.csv": `id\n${rows.join("\n")}\n` };
  const leader = fleet.lead(withData, { shards: 3, files, seed: undefined });
  const joiners = [fleet.join(), fleet.join(), fleet.join()];
  await results(fleet, leader, joiners);
  const used = joiners.flatMap(({ sent }) => sent().map(({ target }) => Number(target.slice(1))));
  assertEquals(used.sort((a, b) => a - b), rows);
});

Deno.test("fleet: the scheduler's index determines which shard a joiner runs", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 3 });
  const joiners = [2, 0, 1].map((index) => fleet.join({ index }));
  const { shards } = await results(fleet, leader, joiners);
  assertEquals(shards.map(({ summary }) => summary.shards[0].shard), ["3/3", "1/3", "2/3"]);
});

Deno.test("fleet: secrets and environment variables come from each joiner", async () => {
  const secret = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 2, iterations: 1", [{ request: { url: "/${env.WHO}" } }]),
  );
  const fleet = new VirtualFleet();
  const leader = fleet.lead(secret, { shards: 2 });
  const joiners = ["one", "two"].map((WHO) => fleet.join({ env: { WHO } }));
  await results(fleet, leader, joiners);
  assertEquals(joiners.flatMap(({ sent }) => sent().map(({ target }) => target)), ["/one", "/two"]);
});

Deno.test("fleet: a failed teardown in one shard fails the run", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 2 });
  const joiners = [fleet.join(), fleet.join({ failure: "the teardown failed" })];
  const { summary } = await results(fleet, leader, joiners);
  assertEquals([summary.failure, summary.passed], ["the teardown failed", false]);
});

Deno.test("fleet: the run does not start if a joiner cannot run the plan", async () => {
  const secret = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 2, iterations: 1", [{ request: { url: "/${env.WHO}" } }]),
  );
  const fleet = new VirtualFleet();
  const leader = fleet.lead(secret, { shards: 2 });
  const joiners = [fleet.join({ env: { WHO: "one" } }), fleet.join()];
  const [error, other, broken] = await fleet.drive(
    Promise.all([leader.ended, ...joiners.map(({ ended }) => ended)]),
  );
  assertStringIncludes(message(error), "shard 2/2 (host2) cannot run the plan: ");
  assertStringIncludes(message(error), "environment variable WHO");
  assertStringIncludes(message(broken), "environment variable WHO");
  assertStringIncludes(message(other), "cannot run the plan");
  assertEquals(joiners.flatMap(({ sent }) => sent()), []);
});

function planOf(flow: Step[], rest: Partial<Plan> = {}): Plan {
  return singleScenarioPlan(
    scenarioOf("constant-arrival-rate, rate: 10, duration: 5s, pre_allocated_vus: 5", flow),
    rest,
  );
}

function ok<T>(result: T | Error): T {
  if (result instanceof Error) throw result;
  return result;
}

/**
 * Runs a plan with one leader and `shards` joiners over a bus that accepts messages of at most
 * `maxBytes` bytes.
 */
async function lead(
  plan: Plan,
  { shards = 1, maxBytes = 1024 * 1024 } = {},
): Promise<{ summary: Summary; outcomes: JoinOutcome[]; notes: string[]; sizes: number[] }> {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards });
  const joiners = Array.from({ length: shards }, () => fleet.join());
  for (const { bus } of [leader, ...joiners]) bus.maxBytes = maxBytes;
  const [summary, ...outcomes] = await fleet.drive(
    Promise.all([leader.ended, ...joiners.map(({ ended }) => ended)]),
  );
  return {
    summary: ok(summary as Summary | Error),
    outcomes: outcomes.map((outcome) => ok(outcome as JoinOutcome | Error)),
    notes: leader.notes,
    sizes: fleet.hub.sent.map(({ bytes }) => bytes.length),
  };
}

Deno.test("fleet reports: the value of a gauge can be negative or a fraction", async () => {
  const plan = planOf([{ metric: { name: "level", type: "gauge", value: -2.5 } }]);
  const { summary, outcomes } = await lead(plan);
  assertEquals(summary.metrics.level, outcomes[0].summary.metrics.level);
  assertEquals(summary.metrics.level, { value: -2.5, min: -2.5, max: -2.5 });
  assertEquals([summary.shards.length, summary.accepted], [1, []]);
});

Deno.test("fleet reports: a gauge that the plan defines has the largest value of all shards", async () => {
  const plan = planOf([{ metric: { name: "level", type: "gauge", value: 7 } }]);
  const { summary } = await lead(plan, { shards: 2 });
  assertEquals(summary.metrics.level, { value: 7, min: 7, max: 7 });
});

Deno.test("fleet reports: the leader adds up the plan's own metrics and their sub-metrics", async () => {
  const plan = planOf([
    { metric: { name: "sold", type: "counter", value: 3, tags: { kind: "book" } } },
    { metric: { name: "wait", type: "trend", value: 20 } },
    { metric: { name: "hit", type: "rate", value: true } },
    {
      request: {
        url: "/a",
        extract: [{
          name: "n",
          type: "regex",
          expression: "(none)",
          default: 7,
          into: { metric: "found", type: "counter" },
        }],
      },
    },
  ], { thresholds: { "sold{kind:book}": ["count==150"], found: ["count==350"] } });
  const { summary, notes } = await lead(plan, { shards: 2 });
  assertEquals(notes.filter((note) => note.startsWith("lost")), []);
  assertEquals(summary.thresholds.map(({ passed }) => passed), [true, true]);
  assertEquals((summary.metrics.sold as CounterStats).count, 150);
  assertEquals(["hit", "wait"].filter((name) => !(name in summary.metrics)), []);
});

const long = Array.from({ length: 300 }, (_, i) => ({
  request: { url: `/${i}`, name: `endpoint ${i} ${"x".repeat(5_000)}` },
}));

Deno.test("fleet reports: messages stay small even if the bus allows larger ones", async () => {
  const { summary, outcomes, sizes } = await lead(planOf(long), { maxBytes: 8 * 1024 * 1024 });
  assert(Math.max(...sizes) <= 1024 * 1024);
  assertEquals(summary.accepted, []);
  assertEquals(summary.metrics.http_reqs, outcomes[0].summary.metrics.http_reqs);
});

Deno.test("fleet reports: a report that is too large for any message ends the shard with an error", async () => {
  const name = "x".repeat(1_100_000);
  const plan = planOf([{ request: { url: "/a", name } }]);
  const { summary, outcomes } = await lead(plan);
  assertEquals(summary.failure, "shards were lost");
  assertStringIncludes(summary.accepted[0].message, "is too large for the bus");
  assertStringIncludes(outcomes[0].problem!, "is too large for the bus");
});

Deno.test("fleet reports: live counts include scenarios that a partial report omits", async () => {
  const seen: number[] = [];
  const fleet = new VirtualFleet();
  const leader = fleet.lead(planOf(long.slice(0, 30)), {
    onTick: ({ scenarios }) => seen.push(scenarios[0]?.iterations ?? 0),
  });
  const joiner = fleet.join({ respond: () => ({ ms: 0.01, status: 200 }) });
  joiner.bus.maxBytes = 20_000;
  await fleet.drive(Promise.all([leader.ended, joiner.ended]));
  assertEquals(seen.slice(0, 5), [10, 20, 30, 40, 50]);
});

Deno.test("fleet reports: the leader adds up the VUs that started late or not at all", async () => {
  const fleet = new VirtualFleet(new BusyClock(100));
  const plan = singleScenarioPlan(
    scenarioOf("constant-vus, vus: 1000, duration: 1s", [{ request: { url: "/" } }]),
  );
  const leader = fleet.lead(plan, { shards: 2 });
  const joiners = [0, 1].map(() => fleet.join({ respond: () => ({ ms: 5_000 }) }));
  const [summary, ...outcomes] = await fleet.drive(
    Promise.all([leader.ended, ...joiners.map(({ ended }) => ended)]),
  );
  const scenarios = outcomes.map((outcome) =>
    ok(outcome as JoinOutcome | Error).summary.scenarios[0]
  );
  const [total] = ok(summary as Summary | Error).scenarios;
  const unstarted = scenarios.map(({ unstarted_vus = 0 }) => unstarted_vus);
  assert(unstarted.every((count) => count > 100), String(unstarted));
  assertEquals(total.unstarted_vus, unstarted[0] + unstarted[1]);
  const delays = scenarios.map(({ start_delay_ms = 0 }) => start_delay_ms);
  assertEquals(total.start_delay_ms, Math.max(...delays));
});

function counts(endpoints: number): DeltaCounts {
  const histogram = { buckets: "", sum: 0, min: 0, max: 0 };
  return {
    second: 3,
    elapsed_ms: 3_000,
    metrics: [{ name: "http_reqs", kind: "counter", count: 5 }],
    endpoints: Array.from({ length: endpoints }, (_, i) => ({
      scenario: "s",
      group: "",
      name: `endpoint ${i}`,
      method: "GET",
      count: 1,
      failed: 0,
      unsent: 0,
      omitted_headers: 0,
      bytes_sent: 1,
      bytes_received: 1,
      statuses: { 200: 1 },
      histogram,
    })),
  };
}

function outbox() {
  const hub = new MemoryHub(new VirtualClock());
  const bus = hub.connect();
  const sent = () =>
    hub.sent.map(({ bytes }) => {
      const message = decodeMessage(bytes);
      if ("fault" in message || message.kind !== "delta") throw new Error("expected a delta");
      return message;
    });
  return { bus, sent, outbox: new Outbox(new Channel(bus, "r"), "a") };
}

Deno.test("outbox: splits a delta that is too large for the bus without losing data", () => {
  const { bus, sent, outbox: box } = outbox();
  bus.maxBytes = 2_000;
  box.push(counts(100));
  const parts = sent();
  assert(parts.length > 10);
  assertEquals(parts.map(({ seq }) => seq), parts.map((_, i) => i + 1));
  assertEquals(
    parts.flatMap(({ endpoints = [] }) => endpoints.map(({ name }) => name)),
    counts(100).endpoints!.map(({ name }) => name),
  );
  assertEquals(parts.flatMap(({ metrics = [] }) => metrics.map(({ count }) => count)), [5]);
  assertEquals(parts.map(({ second }) => second), [...parts.slice(1).map(() => 0), 3]);
});

Deno.test("outbox: resends unacknowledged deltas, except those that were just sent", () => {
  const { sent, outbox: box } = outbox();
  box.push(counts(1));
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1]);
  box.push(counts(1));
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1, 2, 1]);
  box.acknowledge(1);
  box.repeat();
  assertEquals(sent().length, 3, "the leader is only slow");
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1, 2, 1, 2]);
  box.acknowledge(2);
  box.repeat();
  assertEquals(sent().length, 4);
});

Deno.test("outbox: retries at increasing intervals while deltas are not acknowledged", () => {
  const { bus, sent, outbox: box } = outbox();
  /** Calls `repeat` `count` times. Returns the indexes of the calls that sent the delta again. */
  const repetitions = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const before = sent().length;
      box.repeat();
      return sent().length > before ? [i] : [];
    }).flat();
  box.push(counts(0));
  assertEquals(repetitions(35), [1, 2, 4, 8, 16, 24, 32]);
  bus.setConnected(false);
  assertEquals(repetitions(3), []);
  bus.setConnected(true);
  assertEquals(repetitions(3), [0, 2]);
  box.acknowledge(1);
  box.push(counts(0));
  assertEquals(repetitions(4), [1, 2]);
});

Deno.test("outbox: sends the deltas that accumulated while the bus could not be reached", () => {
  const { bus, sent, outbox: box } = outbox();
  bus.setConnected(false);
  for (let i = 0; i < 5; i++) box.push(counts(0));
  box.repeat();
  assertEquals(sent(), []);
  bus.setConnected(true);
  box.repeat();
  assertEquals(sent().map(({ seq }) => seq), [1, 2, 3, 4, 5]);
});
