import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { parse } from "@std/yaml";
import { type Nginx, nginxIsInstalled, startNginx } from "../../scripts/bench/nginx.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import type { CounterStats, TrendStats } from "../../src/engine/summary/flow_stats.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { ScenarioOf } from "../../src/plan/kinds/executors.ts";
import { differs } from "../oracles/chi_square.ts";
import { runCli } from "../support/cli.ts";
import { CliFolder } from "../support/cli_folder.ts";

const LOG = new URL("../../testdata/logs/apache_combined_10k.log", import.meta.url).pathname;
/** Factor that scales the log's two requests per minute to about 600 per second. */
const SCALE = 18_000;
const LOAD = ["--rate-scale", `${SCALE}`, "--duration", "3s", "--vus", "300", "--seed", "1"];

const noNginx = !nginxIsInstalled();
if (noNginx) console.log("skipped the round trip through nginx, because nginx is not installed");

Deno.test({
  name: "round trip: the access log of a run converts back to the same plan (needs nginx)",
  ignore: noNginx,
  async fn() {
    const nginx = (await startNginx({ log: true }))!;
    using folder = new CliFolder();
    try {
      const [plan, log] = [join(folder.path, "plan.yaml"), join(folder.path, "access.log")];
      await rehearse("convert", LOG, "-o", plan);
      const summary = await run(plan, nginx, folder.path);
      const text = await nginx.readLog();
      await Deno.writeTextFile(log, text);
      assertEquals(summary.errors, []);
      assertEquals(
        (summary.metrics.http_reqs as CounterStats).count,
        text.split("\n").length - 1,
      );

      const first = parse(await Deno.readTextFile(plan)) as Plan;
      assert(!differs(weights(await converted(log)), weights(first)));

      const { since, until } = wholeSeconds(text);
      const again = await converted(log, "--since", since, "--until", until);
      assertAlmostEquals(rate(again) / (rate(first) * SCALE), 1, 0.01 + stalled(summary));
    } finally {
      await nginx.stop();
    }
  },
});

/** Runs `rehearse`, which must succeed, and returns its standard output. */
async function rehearse(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args);
  assertEquals(code, 0, stdout + stderr);
  return stdout;
}

async function run(plan: string, { port }: Nginx, folder: string): Promise<Summary> {
  const file = join(folder, "summary.json");
  const to = ["--base-url", `http://127.0.0.1:${port}`, "--quiet", "--summary-export", file];
  await rehearse("run", plan, ...to, ...LOAD);
  return JSON.parse(await Deno.readTextFile(file));
}

async function converted(log: string, ...options: string[]): Promise<Plan> {
  return parse(await rehearse("convert", log, "--top", "all", ...options)) as Plan;
}

function weights({ scenarios }: Plan): Map<string, number> {
  const [step] = scenarios.replayed_traffic.flow;
  return new Map(step.random!.choices.map(({ name, weight }) => [name!, weight!]));
}

function rate({ scenarios }: Plan): number {
  const { rate } = scenarios.replayed_traffic as ScenarioOf<"constant-arrival-rate">;
  return rate;
}

/**
 * Returns an upper limit, in seconds, for the delay between the scheduled time of a request and its
 * response. On a busy machine, delayed requests are logged in a later second.
 */
function stalled({ scenarios, metrics }: Summary): number {
  const { max } = metrics.http_req_duration as TrendStats;
  return (scenarios[0].schedule_lag_us!.max / 1_000 + max) / 1_000;
}

/** Returns the range of seconds that the run covers completely: all but the first and the last. */
function wholeSeconds(log: string): { since: string; until: string } {
  const stamps = [...log.matchAll(/\[([^\]]+)\]/g)].map(([, stamp]) =>
    Date.parse(stamp.replace(":", " ").replaceAll("/", " "))
  );
  const iso = (ms: number) => new Date(ms).toISOString();
  return { since: iso(stamps[0] + 1_000), until: iso(stamps[stamps.length - 1]) };
}
