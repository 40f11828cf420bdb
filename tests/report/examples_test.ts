import { assert, assertEquals } from "@std/assert";
import { REPOSITORY, VERSION } from "../../src/base/release.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { Counts } from "../../src/engine/metrics/counts.ts";
import { addTime, mark, MetricSet } from "../../src/engine/metrics/metrics.ts";
import type { MetricData } from "../../src/engine/metrics/snapshot.ts";
import { type MetricName, METRICS } from "../../src/plan/text/metrics.ts";
import { Histogram } from "../../src/base/histogram.ts";
import { metricValues } from "../../src/engine/outputs/outputs.ts";
import { prometheusText } from "../../src/engine/outputs/prometheus.ts";

const read = (path: string) => Deno.readTextFile(new URL(`../../docs/${path}`, import.meta.url));

/** Returns the names of all time series that a run can export to Prometheus. */
function knownNames(): Set<string> {
  const set = new MetricSet([], new Counts());
  for (const name of METRICS.keys()) {
    for (const metric of set.resolve(name as MetricName, {})) {
      if (metric.kind === "rate") mark([metric], true);
      if (metric.kind === "trend") addTime([metric], 1);
    }
  }
  const metrics: Record<string, MetricData> = set.data();
  const histogram = new Histogram().data();
  const key = { scenario: "s", group: "", name: "n", method: "GET" };
  const counts = { count: 1, failed: 0, bytes_sent: 1, bytes_received: 1, statuses: {} };
  const values = metricValues(metrics, {
    checks: [],
    errors: [],
    failures: [],
    groups: [],
    endpoints: [{ ...key, ...counts, histogram }],
    scenarios: [],
  });
  const text = prometheusText(values);
  return new Set([...text.matchAll(/^(rehearse_\w+)/gm)].map(([, name]) => name));
}

Deno.test("the Grafana dashboard queries only time series that a run exports", async () => {
  const { panels } = JSON.parse(await read("grafana-dashboard.json"));
  const known = knownNames();
  const asked = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.flatMap(({ expr }) => [...expr.matchAll(/rehearse_\w+/g)].map(([name]) => name))
  );
  assert(asked.length > 15);
  assertEquals(asked.filter((name: string) => !known.has(name)), []);
  const ids = panels.map(({ id }: { id: number }) => id);
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("the example workflow passes only inputs of the GitHub Action", async () => {
  const { jobs } = parseYaml(await read("github-action.yml")) as {
    jobs: Record<string, { steps: { uses?: string; with?: Record<string, string> }[] }>;
  };
  const { inputs } = parseYaml(await read("../action.yml")) as { inputs: Record<string, unknown> };
  const slug = new URL(REPOSITORY).pathname.slice(1);
  const used = Object.values(jobs).flatMap(({ steps }) => steps)
    .filter(({ uses }) => uses === `${slug}@v${VERSION}`);
  const names = ["plan", "base-url", "args"];
  assertEquals(used.map((step) => Object.keys(step.with ?? {})), [names]);
  assert(names.every((name) => Object.hasOwn(inputs, name)));
  assertEquals(used[0].with?.args, "--duration=10m");
});
