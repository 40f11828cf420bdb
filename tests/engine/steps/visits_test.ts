import { assert, assertEquals, assertRejects } from "@std/assert";
import { InputError } from "../../../src/base/errors.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { oneIteration } from "../../../src/plan/override.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import {
  runInVirtualTime,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

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
