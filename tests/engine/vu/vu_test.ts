import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { PollPolicy, preciseClock, realClock, sleepUntil } from "../../../src/engine/vu/clock.ts";
import { readRows } from "../../../src/engine/vu/data_source.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { Feeder, Plan } from "../../../src/plan/schema/plan.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

for (const [name, start] of [["real", realClock], ["precise", preciseClock]] as const) {
  Deno.test(`${name} clock: wakes at or after the given time, unless the wake-up is canceled`, async () => {
    const clock = await start();
    const from = clock.now();
    clock.at(from + 1, () => {
      throw new Error("a canceled timer ran");
    })();
    await Promise.all([3, 1, 2].map(async (ms) => {
      await sleepUntil(clock, from + ms);
      assert(clock.now() >= from + ms);
    }));
    clock.close();
  });

  Deno.test(`${name} clock: past and imminent wake-ups fire before a later one that is already set`, async () => {
    const clock = await start();
    let isLate = false;
    const cancel = clock.at(clock.now() + 60_000, () => isLate = true);
    for (let i = 0; i < 200; i++) await sleepUntil(clock, clock.now() - 1);
    for (let i = 0; i < 50; i++) {
      const time = clock.now() + 0.05;
      await sleepUntil(clock, time);
      assert(clock.now() >= time);
    }
    assertEquals(isLate, false);
    cancel();
    clock.close();
  });
}

Deno.test("precise clock: wakes at or after the given time, even after the thread was blocked", async () => {
  const clock = await preciseClock();
  for (let i = 0; i < 4; i++) {
    const wakes = [0.3, 0.6, 20].map((ms) => {
      const time = clock.now() + ms;
      return sleepUntil(clock, time).then(() => assert(clock.now() >= time));
    });
    const blockedUntil = clock.now() + 12;
    while (clock.now() < blockedUntil);
    await Promise.all(wakes);
  }
  clock.close();
});

Deno.test("poll policy: polling stops for 10 s after three stalls within a second, and for twice as long the next time", () => {
  const policy = new PollPolicy();
  const stallThrice = (at: number) => {
    for (const start of [at, at + 100, at + 200]) policy.turn(start, start + 50);
    return at + 250;
  };
  assertEquals(policy.horizonMs(0), 1);
  let end = stallThrice(0);
  assertEquals([end, end + 9_999, end + 10_000].map((now) => policy.horizonMs(now)), [0, 0, 1]);
  end = stallThrice(60_000);
  assertEquals([end, end + 19_999, end + 20_000].map((now) => policy.horizonMs(now)), [0, 0, 1]);
  const calm = new PollPolicy();
  for (const at of [0, 100, 200]) calm.turn(at, at + 9);
  for (const at of [5_000, 5_500, 6_100]) calm.turn(at, at + 50);
  assertEquals(calm.horizonMs(6_200), 1, "short stalls, and stalls a second apart");
});

const HOUR = 3_600_000;
const PLAN: Plan = singleScenarioPlan(
  scenarioOf("constant-arrival-rate, rate: 10, duration: 5, pre_allocated_vus: 4", [{
    request: { url: "/" },
  }, { think_time: "300ms" }]),
);

Deno.test("clock: ignores changes to the system clock during a run", async () => {
  const { summary } = await runInVirtualTime(PLAN);
  const stepped = await steppingClock(async () => (await runInVirtualTime(PLAN)).summary);
  assertEquals(withoutStart(stepped), withoutStart(summary));
});

async function steppingClock<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  let calls = 0;
  Date.now = () => now() + (calls++ % 3 - 1) * HOUR;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

function withoutStart(summary: Summary): Summary {
  const shards = summary.shards.map((shard) => ({ ...shard, started_at: "" }));
  return { ...summary, started_at: "", shards };
}

const flow: Step[] = [{ request: { url: "/${data.d.id}" } }];
const rows = [{ id: "a" }, { id: "b" }, { id: "c" }];

async function used(feeder: Feeder, vus: number, iterations: number, options: TestRunOptions = {}) {
  const plan = singleScenarioPlan({ executor: "per-vu-iterations", vus, iterations, flow }, {
    data: { d: feeder },
  });
  const { sent, summary } = await runInVirtualTime(plan, options);
  return {
    ids: sent.map(({ target }) => target.slice(1)),
    iterations: summary.scenarios[0].iterations,
  };
}

/** Returns the names in a CSV file, sent as `/NAME`, or the error. */
async function csvNames(
  bytes: readonly number[],
  encoding?: "latin1" | "utf-16",
): Promise<string[] | { message: string; place: unknown }> {
  const plan = singleScenarioPlan(
    { executor: "per-vu-iterations", vus: 1, iterations: 1, flow },
    { data: { d: { type: "csv", path: "d.csv", encoding } } },
  );
  try {
    const { sent } = await runInVirtualTime(plan, { readFile: () => Uint8Array.from(bytes) });
    return sent.map(({ target }) => decodeURIComponent(target.slice(1)));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { message: error.message, place: error.place };
  }
}

const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0));
const wide = (text: string) => ascii(text).flatMap((code) => [code & 0xff, code >> 8]);
const swapped = (text: string) => ascii(text).flatMap((code) => [code >> 8, code & 0xff]);

Deno.test("a CSV file is read in its encoding", async () => {
  assertEquals(await csvNames(ascii("\xef\xbb\xbfid\n\xc3\xa9\n")), ["é"]);
  assertEquals(await csvNames(ascii("id\n\xe9\x80\n"), "latin1"), ["é€"]);
  assertEquals(await csvNames(wide("\ufeffid\né\n"), "utf-16"), ["é"]);
  assertEquals(await csvNames(wide("id\né\n"), "utf-16"), ["é"]);
  assertEquals(await csvNames(swapped("\ufeffid\né\n"), "utf-16"), ["é"]);
});

Deno.test("a CSV file that is not UTF-8 is an error with the place of the byte", async () => {
  assertEquals(await csvNames(ascii("id\na\nb\xe9\n")), {
    message: "cannot read the data: the text is not UTF-8 (byte 0xE9); save it as UTF-8, or set " +
      "`encoding: latin1`",
    place: { source: "d.csv", line: 3, column: 2 },
  });
  for (const text of [wide("\ufeffid\na\n"), wide("id\na\n"), swapped("id\na\n")]) {
    assertEquals(await csvNames(text), {
      message:
        "cannot read the data: the text is UTF-16; save it as UTF-8, or set `encoding: utf-16`",
      place: { source: "d.csv", line: 1, column: 1 },
    });
  }
});

Deno.test("VUs share the rows of a feeder unless its mode is `per_vu`", async () => {
  const { ids } = await used({ type: "inline", rows }, 2, 3);
  assertEquals(ids, ["a", "b", "c", "a", "b", "c"]);
  const own = await used({ type: "inline", rows, mode: "per_vu" }, 2, 3);
  assertEquals(own.ids, ["a", "a", "b", "b", "c", "c"]);
});

Deno.test("an iteration takes a single row from a feeder, when it first uses that feeder", async () => {
  const both: Step[] = [...flow, { request: { url: "/${data.d.id}/${data.d.id}" } }];
  const unused: Step[] = [{ request: { url: "/x" } }];
  const plan = (steps: Step[]) =>
    ({ executor: "per-vu-iterations", vus: 1, iterations: 2, flow: steps }) as const;
  const data = { d: { type: "inline" as const, rows } };
  const twice = await runInVirtualTime(singleScenarioPlan(plan(both), { data }));
  assertEquals(twice.sent.map(({ target }) => target), ["/a", "/a/a", "/b", "/b/b"]);
  const branch: Step[] = [{
    if: { condition: { var: "iteration", equals: 1 }, then: flow, else: unused },
  }];
  const lazy = await runInVirtualTime(singleScenarioPlan(plan(branch), { data }));
  assertEquals(lazy.sent.map(({ target }) => target), ["/x", "/a"]);
});

Deno.test("`on_eof: stop` ends the scenario after the last row", async () => {
  assertEquals(await used({ type: "inline", rows, on_eof: "stop" }, 2, 9), {
    ids: ["a", "b", "c"],
    iterations: 3,
  });
  const own = await used({ type: "inline", rows, on_eof: "stop", mode: "per_vu" }, 2, 9);
  assertEquals(own, { ids: ["a", "a", "b", "b", "c", "c"], iterations: 6 });
});

Deno.test("`on_eof: stop` ends the VUs of every executor when no rows are left", async () => {
  const data = { d: { type: "inline", rows, on_eof: "stop", mode: "per_vu" } } as const;
  for (
    const scenario of [
      { executor: "constant-vus", vus: 2, duration: 1, flow },
      { executor: "ramping-vus", start_vus: 2, stages: [{ duration: 1, target: 2 }], flow },
      { executor: "shared-iterations", vus: 2, iterations: 99, flow },
      { executor: "constant-arrival-rate", rate: 20, duration: 1, pre_allocated_vus: 2, flow },
    ] satisfies Scenario[]
  ) {
    const { sent, summary } = await runInVirtualTime(singleScenarioPlan(scenario, { data }));
    assertEquals([sent.length, summary.scenarios[0].iterations], [6, 6], scenario.executor);
  }
});

Deno.test("`shuffle` uses each row once per pass", async () => {
  const many = Array.from({ length: 20 }, (_, id) => ({ id: String(id) }));
  const { ids } = await used({ type: "inline", rows: many, pick: "shuffle" }, 1, 40);
  const passes = [ids.slice(0, 20), ids.slice(20)];
  for (const pass of passes) assertEquals(pass.toSorted(), many.map(({ id }) => id).sort());
  assertEquals(String(passes[0]) === String(passes[1]), false);
  const again = await used({ type: "inline", rows: many, pick: "shuffle" }, 1, 40);
  assertEquals(again.ids, ids);
});

Deno.test("`random` and `weighted` pick each row with its expected frequency", async () => {
  const weighted = [{ id: "a", w: 3 }, { id: "b", w: "1" }, { id: "c", w: 0 }];
  const count = async (feeder: Feeder) => {
    const { ids } = await used(feeder, 1, 2_000);
    return (id: string) => ids.filter((known) => known === id).length;
  };
  const random = await count({ type: "inline", rows, pick: "random" });
  assertAlmostEquals(random("a"), 667, 80);
  const drawn = await count({
    type: "inline",
    rows: weighted,
    pick: "weighted",
    weight_column: "w",
  });
  assertAlmostEquals(drawn("a"), 1_500, 80);
  assertEquals(drawn("c"), 0);
  await assertRejects(
    () => used({ type: "inline", rows, pick: "weighted", weight_column: "no" }, 1, 1),
    InputError,
    "row 1",
  );
  const zero = [{ id: "a", w: 0 }, { id: "b", w: 0 }];
  await assertRejects(
    () => used({ type: "inline", rows: zero, pick: "weighted", weight_column: "w" }, 1, 1),
    InputError,
    'cannot pick rows by weight: every weight in "w" is 0',
  );
});

Deno.test("`readRows` reads CSV and JSON files", async () => {
  const csv = (text: string, keys: object = {}) =>
    used({ type: "csv", path: "f", ...keys }, 1, 2, { files: { f: text } });
  assertEquals((await csv('n,id\n1,"x, y"\n2,z\n')).ids, ["x,%20y", "z"]);
  assertEquals((await csv("n;id\r\n1;q\r\n", { delimiter: ";" })).ids, ["q", "q"]);
  const headless = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 1, iterations: 1", [{ request: { url: "/${data.d.1}" } }]),
    { data: { d: { type: "csv", path: "f", has_header: false } } },
  );
  assertEquals((await runInVirtualTime(headless, { files: { f: "a,b\n" } })).sent[0].target, "/b");
  const json = await used({ type: "json", path: "f" }, 1, 2, {
    files: { f: '[{"id":5},{"id":true}]' },
  });
  assertEquals(json.ids, ["5", "true"]);
});

Deno.test("run rejects data that is not a list of rows, before any request is sent", async () => {
  for (
    const [type, text] of [["json", "{}"], ["json", "[1]"], ["json", "no"], ["json", "[]"], [
      "csv",
      "id\n",
    ], ["csv", 'id\n"']] as const
  ) {
    await assertRejects(() => used({ type, path: "f" }, 1, 1, { files: { f: text } }), InputError);
  }
});

Deno.test("the error of a failed request states the missing column", async () => {
  const plan = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 1, iterations: 1", [{ request: { url: "/${data.d.no}" } }]),
    {
      data: { d: { type: "inline", rows } },
    },
  );
  const { summary } = await runInVirtualTime(plan);
  assertEquals(summary.errors[0].message, 'the data source "d" has no column "no"');
});

const csvPiece = fc.constantFrom(
  ...["id", "name", "7", "Ada", ",", ",", ";", "\t", "\n", "\n", "\r\n", "\r", '"', '""', '"a,b"'],
  ...["\ufeff", "\0", "#", " ", "__proto__", "constructor", "${env.HOME}", "é", "\u2028", "\ud800"],
);
const csv = fc.array(csvPiece, { maxLength: 40 }).map((parts) => parts.join(""));
const bytes = fc.oneof(
  { weight: 4, arbitrary: csv.map((text) => new TextEncoder().encode(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);
const jsonText = fc.oneof(fc.json(), csv, fc.json().map((text) => `[${text},{"a":${text}}]`));

/** Generates data files, and options for reading them. */
const dataFile = fc.oneof(
  fc.record({
    feeder: fc.record({
      type: fc.constant("csv" as const),
      path: fc.constant("d"),
      delimiter: fc.constantFrom(undefined, ";", "\t", " "),
      has_header: fc.constantFrom(undefined, true, false),
    }),
    bytes,
  }),
  fc.record({
    feeder: fc.constant({ type: "json" as const, path: "d" }),
    bytes: jsonText.map((text) => new TextEncoder().encode(text)),
  }),
);

Deno.test("readRows returns plain objects or throws an InputError for any data file", () =>
  fc.assert(fc.property(dataFile, ({ feeder, bytes }) => {
    try {
      const rows = readRows(feeder, () => bytes);
      assert(rows.length > 0);
      for (const row of rows) assert(Object.getPrototypeOf(row) === Object.prototype);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  })));

/**
 * Runs two iterations and returns the target and the cookies of each request. The engine does not
 * send a request with an unset variable.
 */
async function visits(keys: { readonly new_user?: boolean }): Promise<string[]> {
  const plan = singleScenarioPlan({
    executor: "per-vu-iterations",
    vus: 1,
    iterations: 2,
    ...keys,
    flow: [
      { request: { url: "/carts/${cart}" } },
      {
        request: {
          url: "/new",
          extract: [{ type: "jsonpath", name: "cart", expression: "$.id" }],
        },
      },
    ],
  });
  const { sent } = await runInVirtualTime(plan, {
    respond: (_, n) => ({ headers: [["Set-Cookie", `sid=${n}; Path=/`]], body: `{"id":${n}}` }),
  });
  return sent.map(({ target, headers }) => `${target} ${headers.cookie ?? "-"}`);
}

Deno.test("new_user: each iteration starts without cookies or extracted variables", async () => {
  assertEquals(await visits({ new_user: true }), ["/new -", "/new -"]);
});

Deno.test("new_user: by default, a VU keeps cookies and variables between iterations", async () => {
  assertEquals(await visits({}), ["/new -", "/carts/0 sid=0", "/new sid=1"]);
});

const UNIQUE_TEXTS = singleScenarioPlan(scenarioOf("per-vu-iterations, vus: 2, iterations: 2", [
  { request: { url: "/${unique}", body: { json: { slug: "a-${unique}" } } } },
  { request: { url: "/again/${unique}" } },
]));

async function uniqueTexts(seed: number): Promise<string[]> {
  const { sent } = await runInVirtualTime(UNIQUE_TEXTS, { seed });
  const first = sent.filter(({ body }) => body !== "");
  for (const { target, body, session } of first) {
    assertEquals(JSON.parse(body), { slug: `a-${target.slice(1)}` });
    const again = sent.filter((one) => one.session === session).map((one) => one.target);
    assertEquals(again.includes(`/again${target}`), true);
  }
  return first.map(({ target }) => target.slice(1));
}

Deno.test("${unique} is new in each run, VU and iteration, and the same within an iteration", async () => {
  const texts = await uniqueTexts(1);
  for (const text of texts) assertMatch(text, /^[a-z][0-9][a-z0-9]{8}$/);
  assertEquals(new Set(texts).size, 4);
  assertEquals(await uniqueTexts(1), texts);
  assertNotEquals(await uniqueTexts(2), texts);
});
