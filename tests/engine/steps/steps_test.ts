import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { InputError } from "../../../src/base/errors.ts";
import type { FlowCondition } from "../../../src/plan/kinds/conditions.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { oneIteration } from "../../../src/plan/override.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { FakeResponse, Sent } from "../../support/fake_sender.ts";
import {
  runFlow,
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

const get = (url: string): Step => ({ request: { url } });

async function targets(
  flow: Step[],
  options: Parameters<typeof runFlow>[1] = {},
): Promise<string[]> {
  const { sent } = await runFlow(flow, options);
  return sent.map(({ target }) => target);
}

function json(value: unknown): FakeResponse {
  return { body: JSON.stringify(value) };
}

const take = (name: string, expression: string): Step => ({
  request: { url: "/take", extract: [{ type: "jsonpath", name, expression }] },
});

Deno.test("run executes steps and think times in order", async () => {
  const { sent, summary } = await runFlow([
    get("/a"),
    { think_time: "2s" },
    get("/b"),
    { think_time: { type: "constant", duration: "500ms" } },
    { group: { name: "g", steps: [get("/c"), get("/d")] } },
  ]);
  assertEquals(sent.map(({ at, target }) => [at, target]), [
    [0, "/a"],
    [2_010, "/b"],
    [2_520, "/c"],
    [2_530, "/d"],
  ]);
  assertEquals(summary.endpoints.map(({ group, name }) => [group, name]), [
    ["", "GET /a"],
    ["", "GET /b"],
    ["::g", "GET /c"],
    ["::g", "GET /d"],
  ]);
});

Deno.test("run pauses for the scenario's think time between two requests unless a `think_time` step separates them", async () => {
  const flow: Step[] = [get("/a"), get("/b"), { think_time: 1 }, get("/c")];
  const scenario = { executor: "per-vu-iterations", vus: 1, iterations: 2, flow } as const;
  const { sent } = await runInVirtualTime(singleScenarioPlan({ ...scenario, think_time: "3s" }));
  assertEquals(sent.map(({ at }) => at), [0, 3_010, 4_020, 4_030, 7_040, 8_050]);
});

Deno.test("random think times depend only on their distribution and the seed", async () => {
  const pauses = async (think_time: NonNullable<Step["think_time"]>, seed: number) => {
    const flow: Step[] = [{ repeat: { times: 200, steps: [get("/"), { think_time }] } }, get("/")];
    const { sent } = await runFlow(flow, { seed });
    return sent.slice(1).map(({ at }, i) => at - sent[i].at - 10);
  };
  const uniform = await pauses({ type: "uniform", min: "1s", max: "3s" }, 1);
  assert(uniform.every((ms) => ms >= 1_000 && ms <= 3_000));
  assertAlmostEquals(uniform.reduce((a, b) => a + b) / 200, 2_000, 120);
  assertEquals(uniform, await pauses({ type: "uniform", min: "1s", max: "3s" }, 1));
  assert(uniform[0] !== (await pauses({ type: "uniform", min: "1s", max: "3s" }, 2))[0]);
  const gaussian = await pauses({ type: "gaussian", mean: "1s", std_dev: "2s" }, 1);
  assert(gaussian.every((ms) => ms > -1e-6) && gaussian.some((ms) => Math.abs(ms) < 1e-6));
});

Deno.test("`random` chooses a list by weight, uniformly, or in round-robin order across all VUs", async () => {
  const choices = [
    { weight: 3, steps: [get("/a")] },
    { weight: 1, steps: [get("/b")] },
    { weight: 0, steps: [get("/never")] },
  ];
  const count = async (strategy: "weighted" | "uniform") => {
    const seen = await targets([{
      repeat: { times: 2_000, steps: [{ random: { strategy, choices } }] },
    }]);
    return (target: string) => seen.filter((t) => t === target).length;
  };
  const weighted = await count("weighted");
  assertAlmostEquals(weighted("/a"), 1_500, 80);
  assertEquals(weighted("/never"), 0);
  assertAlmostEquals((await count("uniform"))("/never"), 667, 80);
  const flow: Step[] = [{ random: { strategy: "round_robin", choices } }];
  const { sent } = await runInVirtualTime(
    singleScenarioPlan({ executor: "per-vu-iterations", vus: 2, iterations: 3, flow }),
  );
  assertEquals(sent.map(({ target }) => target), ["/a", "/b", "/never", "/a", "/b", "/never"]);
});

Deno.test("`repeat` runs its steps a fixed number of times, and `foreach` runs them once per item", async () => {
  assertEquals(await targets([{ repeat: { times: 3, steps: [get("/r")] } }]), ["/r", "/r", "/r"]);
  assertEquals(
    await targets([{ foreach: { items: ["x", 2], as: "i", steps: [get("/${i}")] } }]),
    ["/x", "/2"],
  );
  assertEquals(
    await targets([
      take("ids", "$.ids"),
      { foreach: { items: "${ids}", as: "id", steps: [get("/item/${id}")] } },
      { foreach: { items: "${unset}", as: "id", steps: [get("/never")] } },
    ], { respond: () => json({ ids: [7, 8] }) }),
    ["/take", "/item/7", "/item/8"],
  );
});

Deno.test("`if` tests the last response or a variable", async () => {
  const branch = (condition: NonNullable<Step["if"]>["condition"]): Step => ({
    if: { condition, then: [get("/then")], else: [get("/else")] },
  });
  const respond = () => json({ role: "admin" });
  const choose = async (condition: NonNullable<Step["if"]>["condition"]) =>
    (await targets([take("role", "$.role"), branch(condition)], { respond }))[1];
  assertEquals(await choose({ type: "status", equals: 200 }), "/then");
  assertEquals(await choose({ type: "status", equals: 404 }), "/else");
  assertEquals(await choose({ type: "body_contains", value: "admin" }), "/then");
  assertEquals(await choose({ var: "role", equals: "admin" }), "/then");
  assertEquals(await choose({ var: "role", matches: "^b" }), "/else");
  assertEquals(await choose({ var: "other", exists: false }), "/then");
  assertEquals(await choose({ var: "role" }), "/then");
  assertEquals(await choose({ var: "iteration", equals: 0 }), "/then");
});

Deno.test("`while` stops once its condition is false, `retry` once it is true, and both at their limit", async () => {
  const until = (n: number) => (_: Sent, i: number) => ({ status: i + 1 >= n ? 200 : 503 });
  const busy = { type: "status", equals: 503 } as const;
  const done = { type: "status", equals: 200 } as const;
  const loop = (max_iterations?: number): Step[] => [
    get("/"),
    { while: { condition: busy, max_iterations, steps: [get("/again")] } },
  ];
  assertEquals((await targets(loop(), { respond: until(4) })).length, 4);
  assertEquals((await targets(loop(2), { respond: until(99) })).length, 3);
  const retry: Step[] = [{ retry: { attempts: 5, backoff: "1s", until: done, steps: [get("/")] } }];
  const { sent } = await runFlow(retry, { respond: until(3) });
  assertEquals(sent.map(({ at }) => at), [0, 1_010, 2_020]);
  assertEquals((await targets(retry, { respond: until(99) })).length, 5);
});

Deno.test("`required` fails the last request of a `retry` step only if its condition never becomes true", async () => {
  const until = { type: "status", equals: 200 } as const;
  const done = (n: number) => (_: Sent, i: number) => ({ status: i + 1 >= n ? 200 : 202 });
  const failures = async (n: number, required: boolean, steps = [get("/")]) => {
    const step: Step = { retry: { attempts: 3, until, required, steps } };
    const { sent, summary } = await runFlow([step, get("/next")], { respond: done(n) });
    assertEquals(sent.at(-1)!.target, "/next");
    return (summary.failures ?? []).map((
      { name, count, kind, message },
    ) => [name, count, kind, message]);
  };
  const failure = (name: string) => [
    name,
    1,
    "assert",
    "the assertion failed: `status equals 200` is false after 3 attempts",
  ];
  assertEquals(await failures(99, true), [failure("GET /")]);
  assertEquals(await failures(99, true, [get("/a"), get("/b")]), [failure("GET /b")]);
  assertEquals(await failures(3, true), []);
  assertEquals(await failures(1, true), []);
  assertEquals(await failures(99, false), []);
});

Deno.test("`retry` ends if its last request can never be sent", async () => {
  const done = { type: "status", equals: 200 } as const;
  const poll = (steps: Step[], until: FlowCondition = done): Step => ({
    retry: { attempts: 98, backoff: "306ms", until, steps },
  });
  const job = get("/job/${id}");
  /**
   * Runs a flow that contains `steps`. Only the response number `first` to `/take` and later ones
   * contain an id. Returns the targets that `steps` requested, and the number of times that a
   * request was not sent because the id was not set.
   */
  const run = async (steps: Step[], first = Infinity) => {
    let taken = 0;
    const { sent, summary } = await runFlow([take("id", "$.id"), ...steps, get("/next")], {
      respond: ({ target }) =>
        target !== "/take" ? { status: 200 } : json(++taken >= first ? { id: 7 } : {}),
    });
    const unset = summary.errors.filter(({ kind }) => kind === "template");
    assertEquals(unset.every(({ message }) => message === 'the variable "id" is not set'), true);
    const count = unset.reduce((sum, { count }) => sum + count, 0);
    return [sent.slice(1, -1).map(({ target }) => target).join(" "), count];
  };
  assertEquals(await run([poll([job])]), ["", 1]);
  assertEquals(await run([poll([get("/a"), job])]), ["/a", 1]);
  assertEquals(await run([poll([{ group: { name: "g", steps: [job] } }])]), ["", 1]);
  assertEquals(await run([poll([job], { var: "id", exists: true })]), ["", 1]);
  // The response to the last request can still meet the condition.
  assertEquals(await run([poll([job, get("/a")])]), ["/a", 1]);
  // Steps of the attempts, or of another branch, may set the variable.
  assertEquals(await run([poll([take("id", "$.id"), job])], 4), ["/take /take /take /job/7", 2]);
  assertEquals(
    await run([{
      parallel: { branches: [[poll([job])], [{ think_time: "1s" }, take("id", "$.id")]] },
    }], 2),
    ["/take /job/7", 4],
  );
  // A step of an attempt may set the variable that the condition tests.
  assertEquals(
    await run([poll([take("state", "$.id"), job], { var: "state", equals: 7 })], 3),
    ["/take /take", 2],
  );
});

Deno.test("`retry` continues if its last request could not be sent, but might be in another attempt", async () => {
  const until = { type: "status", equals: 200 } as const;
  const attempts = async (steps: Step[]) => {
    const { sent, summary } = await runFlow([
      take("id", "$.id"),
      { retry: { attempts: 8, until, steps } },
    ], { respond: () => json({}) });
    const [{ count = 0 } = {}] = summary.errors.filter(({ kind }) => kind === "template");
    return [sent.length - 1, count];
  };
  // Another choice can be sent.
  const job = get("/job/${id}");
  assertEquals(
    await attempts([{
      random: { strategy: "round_robin", choices: [{ steps: [job] }, { steps: [get("/a")] }] },
    }]),
    [1, 1],
  );
  // Another random number can be valid.
  const random = get("/a?n=${random_int(random_int(2, 3), random_int(2, 3))}");
  const [sent] = await attempts([get("/b"), random]);
  assert(sent > 1);
});

Deno.test("`retry` repeats a request that gets no response", async () => {
  const until = { type: "status", equals: 200 } as const;
  const { sent } = await runFlow([{ retry: { attempts: 5, until, steps: [get("/")] } }], {
    respond: (_, i) => i < 3 ? { error: "connect" } : {},
  });
  assertEquals(sent.length, 4);
});

Deno.test("`during` ends on time even if its steps never wait", async () => {
  const { sent } = await runFlow([{ during: { duration: "1s", steps: [get("/")] } }], {
    respond: () => ({ ms: 300 }),
  });
  assertEquals(sent.map(({ at }) => at), [0, 300, 600, 900]);
  const never: Step = { if: { condition: { var: "x", exists: true }, then: [get("/")] } };
  const idle = await runFlow([{ during: { duration: "1s", steps: [never] } }]);
  assertEquals(idle.summary.duration_ms, 1_000);
});

Deno.test("`parallel` branches share variables but not sessions", async () => {
  const { sent } = await runFlow([
    { parallel: { branches: [[take("id", "$.id")], [get("/b"), get("/c")], [get("/d")]] } },
    get("/after/${id}"),
  ], { respond: ({ target }) => ({ ...json({ id: 5 }), ms: target === "/d" ? 50 : 10 }) });
  assertEquals(sent.map(({ at, target }) => [at, target]), [
    [0, "/take"],
    [0, "/b"],
    [0, "/d"],
    [10, "/c"],
    [50, "/after/5"],
  ]);
  assertEquals(new Set(sent.slice(0, 3).map(({ session }) => session)).size, 3);
  const branches = [[get("/a")], [get("/b")], [get("/c")]];
  const two = await runFlow([{ parallel: { branches, max: 2 } }]);
  assertEquals(two.sent.map(({ at }) => at), [0, 0, 10]);
});

Deno.test("canceling an iteration cancels the branches of its `parallel` step", async () => {
  const flow: Step[] = [{ parallel: { branches: [[get("/a")], [{ think_time: "1h" }]] } }];
  const { summary } = await runInVirtualTime(
    singleScenarioPlan(scenarioOf("constant-vus, vus: 1, duration: 1s, graceful_stop: 1s", flow)),
    { respond: () => ({ ms: 3_600_000 }) },
  );
  assertEquals([summary.duration_ms, summary.scenarios[0].interrupted], [2_000, 1]);
});

Deno.test("a failed assertion ends the iteration, scenario or run, as `on_failure` specifies", async () => {
  const flow = (
    on_failure: "continue" | "abort_iteration" | "abort_scenario" | "abort_test",
  ): Step[] => [
    { request: { url: "/a", assert: [{ type: "status", equals: 201, on_failure }] } },
    get("/b"),
  ];
  const end = async (on_failure: Parameters<typeof flow>[0]) => {
    const other: Scenario = scenarioOf("constant-vus, vus: 1, duration: 1", [get("/other")]);
    const plan = singleScenarioPlan(
      scenarioOf("per-vu-iterations, vus: 1, iterations: 3", flow(on_failure)),
    );
    // The other scenario's requests are never due at the same time as those of the aborting flow,
    // because their order would then be undefined.
    const { summary, sent } = await runInVirtualTime(
      { ...plan, scenarios: { ...plan.scenarios, other } },
      { respond: ({ target }) => ({ ms: target === "/other" ? 12.5 : 10 }) },
    );
    return [
      summary.ending,
      ...["/a", "/b", "/other"].map((t) => sent.filter((s) => s.target === t).length),
    ];
  };
  assertEquals(await end("continue"), ["finished", 3, 3, 80]);
  assertEquals(await end("abort_iteration"), ["finished", 3, 0, 80]);
  assertEquals(await end("abort_scenario"), ["finished", 1, 0, 80]);
  assertEquals(await end("abort_test"), ["assertion", 1, 0, 1]);
});

const send: Step = { request: { url: "/", body: { json: "${x}" } } };

Deno.test("set evaluates its values in order, and a single expression keeps its type", async () => {
  const set = {
    a: 2,
    b: "${a * 3}",
    x: { sum: "${a + b}", text: "${a}+${b}", list: ["${b > a}", null], "${a}": 1.5 },
  };
  const { sent } = await runFlow([{ set }, send]);
  assertEquals(JSON.parse(sent[0].body), {
    sum: 8,
    text: "2+6",
    list: [true, null],
    "2": 1.5,
  });
});

Deno.test("a set step in a loop changes the variable that the loop's condition tests", async () => {
  const { sent } = await runFlow([
    { set: { n: 1 } },
    {
      while: {
        condition: "n < 100",
        steps: [{ set: { n: "${n * 3}" } }, { request: { url: "/${n}" } }],
      },
    },
  ]);
  assertEquals(sent.map(({ target }) => target), ["/3", "/9", "/27", "/81", "/243"]);
});

Deno.test("set keeps every digit of an extracted id in arithmetic", async () => {
  const { sent } = await runFlow([
    {
      request: { url: "/", extract: [{ type: "jsonpath", name: "id", expression: "$.id" }] },
    },
    { set: { x: "${id + 1}" } },
    send,
  ], { respond: () => ({ status: 200, body: '{"id":9007199254740993}' }) });
  assertEquals(sent[1].body, "9007199254740994");
});

Deno.test("a value that cannot be evaluated causes an error and leaves the variable unset", async () => {
  const { sent, summary } = await runFlow([
    { set: { x: 1 } },
    { set: { x: "${x / 0}", y: "${x ?? 5}" } },
    { request: { url: "/${y}" } },
  ]);
  assertEquals(sent.map(({ target }) => target), ["/5"]);
  assertEquals(summary.errors, [
    { kind: "template", scenario: "s", name: "set x", count: 1, message: "division by zero" },
  ]);
});

Deno.test("text that doubles in a loop causes an error instead of a crash", async () => {
  const { summary } = await runFlow([
    { set: { x: "0123456789" } },
    { repeat: { times: 40, steps: [{ set: { x: "${x}${x}" } }] } },
  ]);
  assertEquals(summary.errors[0].message, "the text is longer than 16777216 characters");
});

const flow: Step[] = [{
  visits: {
    data: "visits",
    requests: ["look", "buy"].map((name) => ({
      name,
      steps: [{
        request: { name, method: name === "buy" ? "POST" : "GET", url: "/${data.visits.url}" },
      }],
    })),
  },
}];
const FILE = `start,pause,request,url
0,0,look,a1
,2.5,buy,a2
,0,look,a3
4,0,look,b1
9,0,look,c1
,1,look,c2
`;

function plan(scenario: Partial<Scenario>): Plan {
  return singleScenarioPlan(
    { pre_allocated_vus: 50, new_user: true, flow, ...scenario } as Scenario,
    { data: { visits: { type: "csv", path: "visits.csv" } } },
  );
}

async function sent(scenario: Partial<Scenario>, options: TestRunOptions = {}) {
  const files = {
    "visits.csv": FILE,
    "starts.csv": "second,starts\n0.5,1\n4.5,1\n9.5,1\n",
    ...options.files,
  };
  const outcome = await runInVirtualTime(plan(scenario), { ...options, files });
  return outcome.sent.map(({ at, method, target }) => `${at} ${method} ${target}`);
}

const REPLAY: Partial<Scenario> = {
  executor: "recorded-arrivals",
  path: "starts.csv",
  rate: 0.3,
  duration: "10s",
};

Deno.test("visits: each recorded start replays its visit, at the recorded times", async () => {
  assertEquals(await sent(REPLAY), [
    ...["500 GET /a1", "3000 POST /a2", "3010 GET /a3", "4500 GET /b1", "9500 GET /c1"],
    "10500 GET /c2",
  ]);
});

Deno.test("visits: a response that takes longer than the pause delays only the next request", async () => {
  const slow = await sent(REPLAY, {
    respond: ({ target }) => ({ ms: target === "/a1" ? 4_000 : 10 }),
  });
  assertEquals(slow.filter((line) => line.includes("/a")), [
    "500 GET /a1",
    "4500 POST /a2",
    "4510 GET /a3",
  ]);
});

Deno.test("visits: more starts than visits replay each visit equally often, near its place, in turn", async () => {
  const visits = Array.from({ length: 320 }, (_, i) => `${i},0,look,${i}\n`);
  const starts = Array.from({ length: 960 }, (_, second) => `${second},1`).join("\n");
  const files = {
    "visits.csv": `start,pause,request,url\n${visits.join("")}`,
    "starts.csv": `second,starts\n${starts}\n`,
  };
  const lines = await sent({ ...REPLAY, rate: 1, duration: "960s" }, { files });
  const used = lines.map((line) => Number(line.split("/")[1]));
  for (const [visit, times] of Map.groupBy(used.keys(), (second) => used[second])) {
    assertEquals(times.length, 3);
    assert(times.every((second) => Math.abs(second / 3 - visit) <= 32));
  }
  // Copies that start together would send their requests together.
  assert(used.every((visit, i) => visit !== used[i + 1]));
});

Deno.test("visits: the shards of a plan replay each visit once", async () => {
  const whole = await sent(REPLAY, { seed: 4 });
  const parts = await Promise.all(
    [0, 1, 2].map((index) => sent(REPLAY, { seed: 4, shard: { index, of: 3 } })),
  );
  assertEquals(parts.flat().sort(), whole.sort());
});

Deno.test("visits: a constant rate goes through all visits, and a closed model draws them at random", async () => {
  const constant = await sent({ executor: "constant-arrival-rate", rate: 1, duration: "3s" });
  assertEquals(constant.filter((line) => /[abc]1$/.test(line)), [
    "0 GET /a1",
    "1000 GET /b1",
    "2000 GET /c1",
  ]);
  const closed = await sent({ executor: "shared-iterations", vus: 1, iterations: 60 });
  for (const target of ["/a2", "/b1", "/c2"]) {
    assert(closed.filter((line) => line.endsWith(target)).length > 5);
  }
});

Deno.test("visits: `--once` replays a visit with short pauses", async () => {
  const files = { "visits.csv": "start,pause,request,url\n0,0,look,a\n,900,look,b\n,0.2,look,c\n" };
  const once = oneIteration(plan(REPLAY));
  const outcome = await runInVirtualTime(once, { files });
  assertEquals(outcome.sent.map(({ at }) => at), [0, 1_000, 1_200]);
});

Deno.test("visits: rejects rows that cannot be replayed", async () => {
  for (
    const [row, why] of [
      [",0,look,a", "the first row has no `start`"],
      ["0,0,sell,a", '`requests` has no entry for "sell"'],
      ["0,0,look,a\n,-1,look,b", '`pause` is "-1"'],
    ]
  ) {
    const files = { "visits.csv": `start,pause,request,url\n${row}\n` };
    await assertRejects(() => sent(REPLAY, { files }), InputError, why);
  }
});
