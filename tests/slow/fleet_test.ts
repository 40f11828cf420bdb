import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mergeSummaries } from "../../src/engine/metrics/merge_summaries.ts";
import type { CounterStats } from "../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { runBounded } from "../support/bounded_process.ts";
import { docsCommand, inDocsFolder } from "../support/docs_folder.ts";
import { NATS_SERVER, startNats, type TestNats } from "../support/nats_server.ts";
import { TempFolder } from "../support/temp_folder.ts";

const SHARDS = 3;
const STARTS = 240;
const PLAN = `
name: fleet
scenarios:
  main:
    executor: constant-arrival-rate
    rate: 60
    duration: 4s
    pre_allocated_vus: 60
    max_vus: 1200 # no iteration is dropped even if the machine is busy
    flow:
      - request: {url: "/\${data.rows.id}", name: page}
data:
  rows: {type: csv, path: rows.csv}
thresholds:
  http_reqs: ["count==${STARTS}"]
`;

/** Environment of a fleet: a folder, a target server and a message bus. */
interface Stage {
  readonly folder: string;
  readonly nats: TestNats;
  /** Number of requests that the target received, keyed by path. */
  readonly received: Map<string, number>;
  /** URL of the target. */
  readonly base: string;
  /** Arguments of the leader, to which a test may add options. */
  readonly lead: readonly string[];
  readonly join: readonly string[];
}

function fleetTest(name: string, act: (stage: Stage) => Promise<void>): void {
  Deno.test({
    name: `fleet over NATS: ${name}`,
    ignore: NATS_SERVER === undefined, // \`.ci/run\` installs it
    async fn() {
      const received = new Map<string, number>();
      const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
        const { pathname } = new URL(url);
        received.set(pathname, (received.get(pathname) ?? 0) + 1);
        return new Response("ok");
      });
      using temp = new TempFolder();
      const folder = temp.path;
      const nats = await startNats();
      try {
        await Deno.writeTextFile(`${folder}/plan.yaml`, PLAN);
        await Deno.writeTextFile(`${folder}/rows.csv`, "id\n1\n2\n3\n");
        const fleet = ["--fleet", `nats://${nats.address}/test`];
        const base = `http://127.0.0.1:${server.addr.port}`;
        const lead = ["run", `${folder}/plan.yaml`, "--base-url", base, ...fleet];
        await act({ folder, nats, received, base, lead, join: ["join", ...fleet] });
      } finally {
        await nats.kill();
        await server.shutdown();
      }
    },
  });
}

async function readSummary(path: string): Promise<Summary> {
  return JSON.parse(await Deno.readTextFile(path));
}

function requests({ metrics }: Summary): number {
  return (metrics.http_reqs as CounterStats).count;
}

const LIMIT = { limit: 120 };

fleetTest(
  "processes run one plan and its counts add up",
  async ({ folder, lead, join, received }) => {
    const joiners = Array.from(
      { length: SHARDS },
      (_, i) => runBounded([...join, "--summary-export", `${folder}/${i}.json`], LIMIT),
    );
    const leader = await runBounded(
      [...lead, "--shards", String(SHARDS), "--summary-export", `${folder}/all.json`],
      LIMIT,
    );
    assertEquals(leader.code, 0, leader.stderr);
    for (const { code, stderr } of await Promise.all(joiners)) {
      assertEquals(code, 0, stderr);
    }
    const all = await readSummary(`${folder}/all.json`);
    const shards = await Promise.all(
      Array.from({ length: SHARDS }, (_, i) => readSummary(`${folder}/${i}.json`)),
    );
    const merged = mergeSummaries(shards);
    assertEquals([all.passed, requests(all)], [true, STARTS]);
    assertEquals(all.histograms, merged.histograms);
    assertEquals(all.timeline, merged.timeline);
    assertEquals(all.metrics, merged.metrics);
    assertEquals([...received.values()].reduce((sum, n) => sum + n, 0), STARTS);
  },
);

fleetTest(
  "a killed shard is reported and what it reported counts",
  async ({ lead, join, folder }) => {
    // The killed shard must have started, and must not have ended.
    const joiners = [
      runBounded(join, LIMIT),
      runBounded(join, {
        ...LIMIT,
        readyText: ": starting",
        signals: [[2, "SIGKILL"]],
      }),
    ];
    const leader = await runBounded(
      [...lead, "--shards", "2", "--duration", "12s", "--summary-export", `${folder}/all.json`],
      LIMIT,
    );
    await Promise.all(joiners);
    assertEquals(leader.code, 1, leader.stderr);
    assertStringIncludes(leader.stdout, "shards were lost");
    const { shards, accepted } = await readSummary(`${folder}/all.json`);
    assertEquals(shards.map(({ ending }) => ending).sort(), ["finished", "lost"]);
    assertStringIncludes(accepted[0].message, "no heartbeat for");
  },
);

fleetTest("nothing is lost if the bus restarts", async ({ lead, join, nats, received }) => {
  const joiners = [runBounded(join, LIMIT), runBounded(join, LIMIT)];
  const leading = runBounded([...lead, "--shards", "2"], LIMIT);
  await firstRequest(received);
  await nats.restart();
  const leader = await leading;
  assertEquals(leader.code, 0, leader.stderr);
  assertStringIncludes(leader.stdout, `count==${STARTS}`);
  for (const { code, stderr } of await Promise.all(joiners)) assertEquals(code, 0, stderr);
});

fleetTest("a leader that is killed leaves the shards their summaries", async (stage) => {
  const { lead, join, folder } = stage;
  const path = `${folder}/own.json`;
  const joiner = runBounded([...join, "--orphan-timeout", "7s", "--summary-export", path], LIMIT);
  const leader = await runBounded([...lead, "--shards", "1", "--duration", "60s"], {
    ...LIMIT,
    readyText: "is ready",
    signals: [[5, "SIGKILL"]],
  });
  assert(leader.code !== 0);
  const { code, stderr } = await joiner;
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "the leader is lost");
  assertEquals((await readSummary(path)).ending, "interrupted");
});

fleetTest("leader and shards end if the bus is killed", async ({ lead, join, nats, received }) => {
  const orphan = ["--orphan-timeout", "7s"];
  const joiner = runBounded([...join, ...orphan], LIMIT);
  const leading = runBounded([...lead, ...orphan, "--shards", "1", "--duration", "60s"], LIMIT);
  await firstRequest(received);
  await nats.kill();
  const [leader, { code, stderr }] = await Promise.all([leading, joiner]);
  assertEquals(leader.code, 1, leader.stderr);
  assertStringIncludes(leader.stderr, "the bus cannot be reached; waiting for up to 7s");
  assertStringIncludes(leader.stdout, "the bus could not be reached for 7s");
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "the leader is lost");
});

fleetTest(
  "a second leader, a late joiner and another plan are refused",
  async ({ lead, join, received }) => {
    const joiner = runBounded(join, LIMIT);
    const leading = runBounded([...lead, "--shards", "1", "--duration", "20s"], LIMIT);
    await firstRequest(received);
    const [second, late, other] = await Promise.all([
      runBounded([...lead, "--shards", "1"], LIMIT),
      runBounded(join, LIMIT),
      runBounded([...join, "--plan-hash", "0".repeat(64)], LIMIT),
    ]);
    assertEquals([second.code, late.code, other.code], [1, 1, 1]);
    assertStringIncludes(second.stderr, "already leads a run with this name");
    assertStringIncludes(
      late.stderr,
      "the leader refused this process: the run has already started",
    );
    assertStringIncludes(
      other.stderr,
      "the leader refused this process: the run has already started",
    );
    const [leader, { code, stderr }] = await Promise.all([leading, joiner]);
    assertMatch(leader.stdout, / 1,200 +0 /);
    assertEquals(code, 0, stderr);
  },
);

fleetTest("a joiner that expects another plan ends the run before the start", async (stage) => {
  const { lead, join, received } = stage;
  const joiner = runBounded([...join, "--plan-hash", "0".repeat(64)], LIMIT);
  const leader = await runBounded([...lead, "--shards", "1"], LIMIT);
  assertEquals([leader.code, received.size], [1, 0], leader.stdout);
  assertStringIncludes(leader.stderr, "cannot run the plan: the leader runs a different plan");
  const { code, stderr } = await joiner;
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "the leader runs a different plan");
});

fleetTest("the commands in docs/many-machines.md run a plan", async ({ nats, received, base }) => {
  const page = await Deno.readTextFile(new URL("../../docs/many-machines.md", import.meta.url));
  const lines = page.slice(page.indexOf("## From one"), page.indexOf("## Which shard")).split("\n")
    .map((line) => line.trim()).filter((line) => line.startsWith("rehearse "))
    .map((line) => line.replaceAll("127.0.0.1:4222", nats.address))
    .map((line) => line.replace("http://127.0.0.1:8080", base));
  assertEquals(lines.map((line) => line.split(" ")[1]), ["join", "join", "run"]);
  await inDocsFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/plan.yaml`, PLAN);
    await Deno.writeTextFile(`${folder}/rows.csv`, "id\n1\n");
    const outcomes = await Promise.all(lines.map((line) => docsCommand(folder, line).output()));
    const text = outcomes.map(({ stderr }) => new TextDecoder().decode(stderr)).join("\n");
    assertEquals(outcomes.map(({ code }) => code), [0, 0, 0], text);
  });
  assertEquals([...received.values()].reduce((sum, n) => sum + n, 0), STARTS);
});

/** Waits until the target has received a request. */
async function firstRequest(received: ReadonlyMap<string, number>): Promise<void> {
  const until = Date.now() + 60_000;
  while (received.size === 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
