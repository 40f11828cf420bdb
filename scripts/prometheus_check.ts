/**
 * Lets Prometheus scrape a run and receive its remote writes, and compares the metrics in
 * Prometheus with the run's summary. If Prometheus is not installed, prints a line and skips the
 * checks.
 *
 *     deno run -A scripts/prometheus_check.ts
 */
import { join } from "@std/path";
import { cli } from "../src/cli/cli.ts";
import { denoIo } from "../src/cli/system/io.ts";
import { startDemo } from "../src/demo/server.ts";
import type { Summary } from "../src/engine/summary/summary.ts";
import type { CounterStats, TrendStats } from "../src/engine/summary/flow_stats.ts";
import { freePort } from "./local_port.ts";

const PROMETHEUS = "/usr/bin/prometheus";

try {
  Deno.statSync(PROMETHEUS);
} catch {
  console.log(`prometheus check: skipped, because ${PROMETHEUS} does not exist`);
  Deno.exit(0);
}
const [api, scrape] = [freePort(), freePort()];
/** Prometheus query for the number of requests that the scenario `main` has sent. */
const SCRAPED = 'rehearse_http_reqs_total{job="rehearse",name="GET /api/products"}';
const server = startDemo();
/**
 * Server that responds as soon as the request count in Prometheus equals the number of requests
 * that the demo shop has served.
 */
const scraped = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
  const [{ count }] = server.stats().served;
  await until(`has not scraped ${count} requests`, async () => await ask(SCRAPED) === count);
  return new Response();
});
const folder = Deno.makeTempDirSync({ prefix: "rehearse-prometheus-" });
const at = (name: string) => join(folder, name);
Deno.writeTextFileSync(
  at("prometheus.yml"),
  `scrape_configs:
  - job_name: rehearse
    scrape_interval: 500ms
    static_configs: [{targets: ["127.0.0.1:${scrape}"]}]
`,
);
Deno.writeTextFileSync(
  at("plan.yaml"),
  `outputs:
  - {type: prometheus, listen: "127.0.0.1:${scrape}"}
  - {type: prometheus, remote_write: "http://127.0.0.1:${api}/api/v1/write", interval: 1s}
thresholds: {"http_reqs{name:GET /api/products}": ["count>0"]}
scenarios:
  main:
    executor: constant-arrival-rate
    rate: 50
    duration: 5s
    pre_allocated_vus: 10
    flow: [{request: {url: /api/products, checks: [{type: status, equals: 200}]}}]
  # Keeps the run open until Prometheus has scraped the final values of the other scenario.
  end:
    executor: per-vu-iterations
    after: main
    vus: 1
    iterations: 1
    flow: [{request: {url: "http://127.0.0.1:${scraped.addr.port}/", timeout: 5m}}]
`,
);
const prometheus = new Deno.Command(PROMETHEUS, {
  args: [
    `--config.file=${at("prometheus.yml")}`,
    `--storage.tsdb.path=${at("data")}`,
    `--web.listen-address=127.0.0.1:${api}`,
    "--web.enable-remote-write-receiver",
    "--log.level=error",
  ],
}).spawn();
let code = 1;
try {
  await until("has no scrape target", hasTarget);
  const options = ["--base-url", server.origin, "--summary-export", at("summary.json")];
  await cli(["run", at("plan.yaml"), ...options, "--workers", "1", "--run-id", "check"], denoIo());
  code = await compare(JSON.parse(Deno.readTextFileSync(at("summary.json"))));
  if (await brokenPanels() > 0) code = 1;
} finally {
  prometheus.kill();
  await prometheus.status;
  await server.stop();
  await scraped.shutdown();
  Deno.removeSync(folder, { recursive: true });
}
Deno.exit(code);

async function compare({ metrics, endpoints }: Summary): Promise<number> {
  const { count } = metrics.http_reqs as CounterStats;
  const duration = metrics.http_req_duration as TrendStats;
  const written = 'job=""';
  const selected = 'name="GET /api/products"';
  const products = endpoints.find(({ name }) => name === "GET /api/products")!.count;
  const found: [string, number | undefined, number][] = [
    ["requests written", await ask(`rehearse_http_reqs_total{${written},name=""}`), count],
    ["selection written", await ask(`rehearse_http_reqs_total{${written},${selected}}`), products],
    [
      "p95 written",
      await ask(`rehearse_http_req_duration{${written},quantile="0.95"}`),
      duration["p(95)"],
    ],
    [
      "histogram written",
      await ask(
        `rehearse_http_req_duration_seconds_bucket{${written},run_id="check",le="+Inf"}`,
      ),
      duration.count,
    ],
    [
      "endpoint written",
      await ask(`rehearse_endpoint_requests_total{${written},${selected}}`),
      products,
    ],
    ["requests scraped", await ask(SCRAPED), products],
  ];
  const wrong = found.filter(([, got, expected]) =>
    got === undefined || Math.abs(got - expected) > 1e-9
  );
  for (const [what, got, expected] of found) console.log(`${what}: ${got} of ${expected}`);
  console.log(`prometheus check: ${found.length - wrong.length} passed, ${wrong.length} failed`);
  return wrong.length > 0 ? 1 : 0;
}

/** Prints the queries of the Grafana dashboard that return no data, and returns their number. */
async function brokenPanels(): Promise<number> {
  const file = new URL("../docs/grafana-dashboard.json", import.meta.url);
  const { panels } = JSON.parse(Deno.readTextFileSync(file));
  let broken = 0;
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const query = expr.replaceAll("$job", ".*").replaceAll("$run", "check").replaceAll(
        "$__rate_interval",
        "1m",
      );
      const { status, error, data } = await runQuery(query);
      if (status === "success" && data.result.length > 0) continue;
      console.log(`dashboard: ${title}: ${error ?? "nothing found"}: ${query}`);
      broken++;
    }
  }
  console.log(`dashboard: ${panels.length} panels, ${broken} queries without a result`);
  return broken;
}

async function ask(selector: string): Promise<number | undefined> {
  const { data } = await runQuery(`last_over_time(${selector}[1m])`);
  return data.result[0] && Number(data.result[0].value[1]);
}

// deno-lint-ignore no-explicit-any -- Prometheus' JSON
async function runQuery(query: string): Promise<any> {
  const url = `http://127.0.0.1:${api}/api/v1/query?query=${encodeURIComponent(query)}`;
  return await (await fetch(url)).json();
}

/**
 * Reports whether Prometheus is running and has found the scrape target. This takes a few seconds.
 */
async function hasTarget(): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${api}/api/v1/targets`);
    const { data } = await response.json();
    return data.activeTargets.length > 0;
  } catch {
    return false; // It does not listen yet.
  }
}

/**
 * Waits until `check` returns true. After 120 seconds, throws an Error whose message is
 * `Prometheus`, followed by `problem`.
 */
async function until(problem: string, check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Prometheus ${problem}`);
}
