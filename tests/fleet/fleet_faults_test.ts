import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { random } from "../../src/base/random.ts";
import { VERSION } from "../../src/base/release.ts";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { encodeMessage } from "../../src/fleet/channel.ts";
import type { JoinOutcome } from "../../src/fleet/run_reported_shard.ts";
import { scenarioOf, singleScenarioPlan } from "../support/run_in_virtual_time.ts";
import { type StartedJoiner, VirtualFleet } from "../support/virtual_fleet.ts";

const plan = singleScenarioPlan(
  scenarioOf("constant-arrival-rate, rate: 40, duration: 30s, pre_allocated_vus: 20", [{
    request: { url: "/a", name: "a" },
  }]),
  { thresholds: { http_req_failed: ["rate<0.5"] } },
);

const SECOND = 1_000;

function ok<T>(result: T | Error): T {
  if (result instanceof Error) throw result;
  return result;
}

/** The outcome of a joiner that ran its shard. */
async function outcome(fleet: VirtualFleet, { ended }: StartedJoiner): Promise<JoinOutcome> {
  return ok(await fleet.drive(ended));
}

function message(result: unknown): string {
  if (result instanceof Error) return result.message;
  throw new Error("expected an error");
}

function requests({ metrics }: Summary): number {
  return (metrics.http_reqs as CounterStats).count;
}

/** Calls `act` as soon as the leader reports the given second of the run. */
function atSecond(second: number, act: () => void) {
  return { onTick: ({ last }: { last: { at: number } }) => last.at === second && act() };
}

/** Publishes `text` after 1.5 seconds, on the subject `rehearse.r.` followed by `place`. */
function sendLater({ clock, hub }: VirtualFleet, place: string, text: string): void {
  const bus = hub.connect();
  clock.at(1_500, () => bus.publish(`rehearse.r.${place}`, new TextEncoder().encode(text)));
}

Deno.test("fleet faults: a lost shard is reported, its counts are kept, and the run fails", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, {
    shards: 4,
    ...atSecond(10, () => joiners[1].bus.setConnected(false)),
  });
  const joiners = [1, 2, 3, 4].map(() => fleet.join());
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, summary.failure], [false, "shards were lost"]);
  assertEquals(
    summary.shards.map(({ shard, ending }) => `${shard} ${ending}`),
    ["1/4 finished", "2/4 lost", "3/4 finished", "4/4 finished"],
  );
  const [{ flaw, message: text }] = summary.accepted;
  assertEquals(flaw, "lost");
  assertEquals(
    text,
    "lost: shard 2/4 (host2) after 10s, no heartbeat for 6s. About 16.67% of the load is missing",
  );
  assertEquals(requests(summary), 3 * 300 + 100);
  const orphan = await outcome(fleet, joiners[1]);
  assertEquals(orphan.problem, "the leader did not confirm the result");
});

Deno.test("fleet faults: with --tolerate-lost, a lost shard makes the run incomplete", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, {
    shards: 4,
    tolerateLost: 1,
    ...atSecond(10, () => joiners[1].bus.setConnected(false)),
  });
  const joiners = [1, 2, 3, 4].map(() => fleet.join());
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, summary.failure], [null, undefined]);
  assertEquals(summary.thresholds.map(({ passed }) => passed), [true]);
  assertEquals(summary.accepted.map(({ flaw }) => flaw), ["lost"]);
});

Deno.test("fleet faults: a shard whose process is interrupted is lost, but all its counts are kept", async () => {
  const fleet = new VirtualFleet();
  const stop = new AbortController();
  const leader = fleet.lead(plan, { shards: 2, ...atSecond(10, () => stop.abort()) });
  const joiners = [fleet.join(), fleet.join({ stop: stop.signal })];
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals(summary.failure, "shards were lost");
  assertStringIncludes(summary.accepted[0].message, "its process was interrupted");
  const own = await outcome(fleet, joiners[1]);
  assertEquals(own.problem, undefined);
  assertEquals(requests(summary), 600 + requests(own.summary));
});

Deno.test("fleet faults: without a leader, shards stop after the orphan timeout", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, {
    shards: 2,
    orphanMs: 8 * SECOND,
    ...atSecond(5, () => leader.bus.setConnected(false)),
  });
  const joiners = [fleet.join(), fleet.join()];
  for (const joiner of joiners) {
    const { summary, problem } = await outcome(fleet, joiner);
    assertEquals([problem, summary.ending], ["the leader is lost", "interrupted"]);
    assert(summary.duration_ms > 12 * SECOND && summary.duration_ms < 16 * SECOND);
    assertStringIncludes(
      joiner.notes.join("\n"),
      "lost contact with the leader; continuing for 8s",
    );
  }
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals(summary.failure, "shards were lost");
  assertStringIncludes(summary.accepted[0].message, "the bus could not be reached for 8s");
});

Deno.test("fleet faults: shards that end before the orphan timeout keep their results", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, {
    shards: 2,
    orphanMs: 60 * SECOND,
    ...atSecond(25, () => leader.bus.setConnected(false)),
  });
  const joiners = [fleet.join(), fleet.join()];
  for (const joiner of joiners) {
    const { summary, problem } = await outcome(fleet, joiner);
    assertEquals([problem, summary.ending], ["the leader did not confirm the result", "finished"]);
    assertEquals(requests(summary), 600);
  }
});

Deno.test("fleet faults: nothing is lost if the bus restarts", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, {
    shards: 2,
    ...atSecond(5, () => {
      fleet.hub.setConnected(false);
      fleet.clock.at(fleet.clock.now() + 9 * SECOND, () => fleet.hub.setConnected(true));
    }),
  });
  const joiners = [fleet.join(), fleet.join()];
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, requests(summary)], [true, 1200]);
  assertEquals(summary.timeline.slice(0, 30).map(({ started }) => started), Array(30).fill(40));
  assertStringIncludes(leader.notes.join("\n"), "the bus cannot be reached; waiting for up to 20s");
  assertStringIncludes(leader.notes.join("\n"), "the bus can be reached again");
  for (const joiner of joiners) {
    assertEquals((await outcome(fleet, joiner)).problem, undefined);
    assertStringIncludes(joiner.notes.join("\n"), "the leader responds again");
  }
});

Deno.test("fleet faults: the counts are exact even if the bus loses and delays messages", async () => {
  const fleet = new VirtualFleet();
  const draw = random(7);
  fleet.hub.latencyMs = 40;
  fleet.hub.loses = () => draw.next() < 0.3;
  const leader = fleet.lead(plan, { shards: 3 });
  const joiners = [1, 2, 3].map(() => fleet.join());
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, requests(summary)], [true, 1200]);
  for (const { ended } of joiners) await fleet.drive(ended);
});

Deno.test("fleet faults: a joiner that is too late is refused", async () => {
  const fleet = new VirtualFleet();
  let late: ReturnType<VirtualFleet["join"]> | undefined;
  const leader = fleet.lead(plan, { shards: 1, ...atSecond(3, () => late = fleet.join()) });
  fleet.join();
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, requests(summary)], [true, 1200]);
  assertStringIncludes(message(await fleet.drive(late!.ended)), "the run has already started");
  assertStringIncludes(leader.notes.join("\n"), "refused host2: the run has already started");
});

Deno.test("fleet faults: joiners with a different plan, or an invalid or taken shard index, are refused", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 2 });
  const good = fleet.join({ index: 0 });
  const refused = [
    [fleet.join({ index: 0 }), "shard 1/2 is already taken by host1"],
    [fleet.join({ index: 2 }), "index 2 (counting from 0), but the run has 2 shards"],
    [fleet.join({ planHash: "0".repeat(64) }), "the leader runs a different plan"],
  ] as const;
  for (const [{ ended }, text] of refused.slice(0, 2)) {
    assertStringIncludes(message(await fleet.drive(ended)), text);
  }
  assertStringIncludes(message(await fleet.drive(refused[2][0].ended)), refused[2][1]);
  assertStringIncludes(message(await fleet.drive(leader.ended)), "shard 2/2 (host4) cannot run");
  assertStringIncludes(message(await fleet.drive(good.ended)), "cannot run the plan");
});

Deno.test("fleet faults: processes of another version are refused", async () => {
  const fleet = new VirtualFleet();
  const { ended } = fleet.join();
  const pulse = '{"rehearse":"1","kind":"pulse","leader":"x","name":"host","phase":"waiting"}';
  sendLater(fleet, "all", pulse);
  assertEquals(
    message(await fleet.drive(ended)),
    `the leader uses version 1 of rehearse, and this process uses version ${VERSION}; ` +
      "use the same version everywhere",
  );
  const other = new VirtualFleet();
  const leader = other.lead(plan, { shards: 1, joinTimeoutMs: 60 * SECOND });
  for (const version of ["1", "1", "2", `${VERSION}-next`, "98", "99"]) {
    const hello = `{"rehearse":"${version}","kind":"hello","from":"old","name":"host"}`;
    sendLater(other, "leader", hello);
  }
  assertStringIncludes(message(await other.drive(leader.ended)), "only 0 of 1 shards");
  assertEquals(
    leader.notes.filter((note) => note.includes("this process")),
    ["1", "2", `${VERSION}-next`].map((version) =>
      `a process that cannot take part in the run uses version ${version} of rehearse, ` +
      `and this process uses version ${VERSION}; use the same version everywhere`
    ),
  );
});

Deno.test("fleet faults: the leader fails if shards are missing after the timeout", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 3, joinTimeoutMs: 600 * SECOND });
  const joiner = fleet.join();
  assertEquals(
    message(await fleet.drive(leader.ended)),
    "only 1 of 3 shards were ready within 10m; missing: shard 2/3, shard 3/3. Start the missing " +
      "`rehearse join` processes, or wait longer with `--join-timeout`",
  );
  assertStringIncludes(message(await fleet.drive(joiner.ended)), "only 1 of 3 shards were ready");
});

Deno.test("fleet faults: a joiner fails if no leader responds", async () => {
  const fleet = new VirtualFleet();
  const { ended } = fleet.join({ joinTimeoutMs: 60 * SECOND });
  assertStringIncludes(message(await fleet.drive(ended)), "no leader responded within 1m");
});

Deno.test("fleet faults: a process that dies before the start is replaced", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 2 });
  const [dead] = [fleet.join({ index: 0 })];
  fleet.clock.at(20 * SECOND, () => dead.bus.setConnected(false));
  fleet.clock.at(120 * SECOND, () => {
    fleet.join({ index: 0 });
    fleet.join({ index: 1 });
  });
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, requests(summary)], [true, 1200]);
  const note = "shard 1/2 (host1) does not respond; waiting for another process";
  assertStringIncludes(leader.notes.join("\n"), note);
});

Deno.test("fleet faults: a shard whose reports are invalid is lost, and the run ends", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 2 });
  const [, broken] = [fleet.join(), fleet.join()];
  const publish = broken.bus.publish.bind(broken.bus);
  broken.bus.publish = (subject, bytes) => {
    const text = new TextDecoder().decode(bytes).replace('"http_reqs"', '"other"');
    publish(subject, new TextEncoder().encode(text));
  };
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals(summary.failure, "shards were lost");
  assertStringIncludes(
    summary.accepted[0].message,
    "its report is invalid: it contains a counter that the plan does not have",
  );
  const { problem } = await outcome(fleet, broken);
  assertStringIncludes(problem!, "the leader refused the result");
});

Deno.test("fleet faults: only one of two leaders leads, even if both start at the same time", async () => {
  for (const delay of [0, 100, 5 * SECOND]) {
    const fleet = new VirtualFleet();
    const first = fleet.lead(plan, { shards: 1 });
    const second = Promise.withResolvers<Summary | Error>();
    fleet.clock.at(delay, () => second.resolve(fleet.lead(plan, { shards: 1 }).ended));
    const [one, two] = await fleet.drive(Promise.all([
      first.ended,
      second.promise,
      // Joins only after both leaders have claimed the run.
      new Promise<void>((resolve) => fleet.clock.at(20 * SECOND, resolve)).then(() =>
        fleet.join().ended
      ),
    ]));
    const failed = [one, two].filter((result) => result instanceof Error);
    assertEquals(failed.length, 1, `after ${delay} ms`);
    assertStringIncludes(message(failed[0]), "lead already leads a run with this name");
    const led = [one, two].find((result): result is Summary => !(result instanceof Error))!;
    assertEquals([led.passed, requests(led)], [true, 1200]);
  }
});

Deno.test("fleet faults: invalid messages have no effect and are reported", async () => {
  const fleet = new VirtualFleet();
  const hostile = fleet.hub.connect();
  const to = (subject: string, text: string | Uint8Array) =>
    hostile.publish(
      `rehearse.r.${subject}`,
      typeof text === "string" ? new TextEncoder().encode(text) : text,
    );
  const empty = { kind: "delta", from: "joiner-2", seq: 5, second: 5, elapsed_ms: 0 } as const;
  const counter = { name: "http_reqs", kind: "counter", count: 1e6 } as const;
  const histogram = { buckets: "", sum: 0, min: 0, max: 0 };
  const trend = { name: "http_req_duration", kind: "trend", histogram } as const;
  const long = { ...trend, histogram: { ...histogram, buckets: "////////////" } };
  const done = { kind: "done", seq: 0, started_at: 0, duration_ms: 0, failure: null } as const;
  const values = [
    ...["", "[]", "{", `{"rehearse":"${VERSION}"}`, new Uint8Array([0xff, 0xfe])],
    `{"rehearse":"${VERSION}","kind":"__proto__"}`,
    '{"rehearse":5,"kind":"beat"}',
    `{"rehearse":"${VERSION}","kind":"beat","from":"../x"}`,
    `{"rehearse":"${VERSION}","kind":"beat","from":"joiner-2","more":1}`,
    `{"rehearse":"${VERSION}","kind":"beat","from":"${"x".repeat(10_000)}"}`,
    encodeMessage({ ...empty, metrics: [{ ...counter, name: "nothing", count: 1 }] }),
    encodeMessage({ ...empty, metrics: [{ ...counter, name: "__proto__", count: 5 }] }),
    encodeMessage({ ...empty, second: 1e9 }),
    encodeMessage({ ...empty, metrics: [{ ...trend, name: "http_reqs" }] }),
    encodeMessage({ ...empty, metrics: [long] }),
    encodeMessage({ ...empty, from: "joiner-99", metrics: [counter] }),
    encodeMessage({ ...empty, seq: 77, metrics: [counter] }),
    encodeMessage({ ...done, from: "joiner-99", ending: "assertion" }),
    encodeMessage({ kind: "failed", from: "joiner-99", reason: "no" }),
  ];
  const leader = fleet.lead(plan, {
    shards: 2,
    ...atSecond(3, () => {
      for (const value of values) {
        to("leader", value);
        to("all", value);
        to("to.joiner-1", value);
      }
      // Another leader cannot stop the shards.
      const pulse = { kind: "pulse" as const, name: "x", starts_at: 0, reason: "" };
      to("all", encodeMessage({ ...pulse, leader: "x", phase: "ended", stop: "kill" }));
      to("to.joiner-1", encodeMessage({ kind: "refusal", leader: "x", reason: "go away" }));
    }),
  });
  const joiners = [fleet.join(), fleet.join()];
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, requests(summary)], [true, 1200]);
  assertStringIncludes(leader.notes.join("\n"), "invalid messages on the bus; the first: ");
  for (const joiner of joiners) {
    assertEquals((await outcome(fleet, joiner)).problem, undefined);
  }
});

Deno.test("fleet faults: a process that was replaced does not send requests", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 2, orphanMs: 60 * SECOND });
  const silent = fleet.join();
  fleet.clock.at(5 * SECOND, () => silent.bus.setConnected(false));
  fleet.clock.at(40 * SECOND, () => silent.bus.setConnected(true));
  fleet.clock.at(45 * SECOND, () => {
    fleet.join();
    fleet.join();
  });
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals([summary.passed, requests(summary)], [true, 1200]);
  const refused = message(await fleet.drive(silent.ended));
  assertStringIncludes(refused, "another process now runs this shard");
  assertEquals(silent.sent(), []);
});

Deno.test("fleet faults: a shard whose reports never arrive is lost, and the run ends", async () => {
  const fleet = new VirtualFleet();
  const leader = fleet.lead(plan, { shards: 1 });
  const joiner = fleet.join();
  fleet.hub.loses = ({ bytes }) => new TextDecoder().decode(bytes).includes('"seq":5,"second"');
  const summary = ok(await fleet.drive(leader.ended));
  assertEquals(summary.failure, "shards were lost");
  assertStringIncludes(summary.accepted[0].message, "it has ended, but only 4 of its ");
  const { problem } = await outcome(fleet, joiner);
  assertStringIncludes(problem!, "the leader refused the result: the shard is lost");
});
