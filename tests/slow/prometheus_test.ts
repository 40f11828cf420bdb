import { assertAlmostEquals, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { startDemo } from "../../src/demo/server.ts";
import type { CounterStats, TrendStats } from "../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { freePort } from "../../scripts/local_port.ts";
import { runCli } from "../support/cli.ts";

const PROMETHEUS = "/usr/bin/prometheus";
const DASHBOARD = new URL("../../docs/grafana-dashboard.json", import.meta.url);
const NAME = 'name="GET /api/products"';
const SCRAPED = `rehearse_http_reqs_total{job="rehearse",${NAME}}`;

const isMissing = !isInstalled();
if (isMissing) console.log(`skipped the check of metrics: ${PROMETHEUS} does not exist`);

Deno.test({
  name: "Prometheus scrapes and receives the metrics of a run, and the dashboard shows them",
  ignore: isMissing,
  async fn() {
    const [port, scrape] = [freePort(), freePort()];
    const folder = Deno.makeTempDirSync({ prefix: "rehearse-prometheus-" });
    const at = (name: string) => join(folder, name);
    const api = new Api(port);
    const server = startDemo();
    // Responds when Prometheus has scraped all requests that the demo shop has served.
    await using scraped = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async () => {
        const [{ count }] = server.stats().served;
        await until(async () => await api.last(SCRAPED) === count);
        return new Response();
      },
    );
    Deno.writeTextFileSync(at("prometheus.yml"), configuration(scrape));
    Deno.writeTextFileSync(at("plan.yaml"), plan(port, scrape, scraped.addr.port));
    const prometheus = new Deno.Command(PROMETHEUS, {
      args: [
        `--config.file=${at("prometheus.yml")}`,
        `--storage.tsdb.path=${at("data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--web.enable-remote-write-receiver",
        "--log.level=error",
      ],
    }).spawn();
    try {
      await until(() => api.hasTarget());
      const options = ["--base-url", server.origin, "--summary-export", at("summary.json")];
      await runCli(["run", at("plan.yaml"), ...options, "--workers", "1", "--run-id", "check"]);
      await compare(api, JSON.parse(Deno.readTextFileSync(at("summary.json"))));
      assertEquals(await api.brokenPanels(), []);
    } finally {
      prometheus.kill();
      await prometheus.status;
      await server.stop();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

function isInstalled(): boolean {
  try {
    return Deno.statSync(PROMETHEUS).isFile;
  } catch {
    return false;
  }
}

function configuration(scrape: number): string {
  return `scrape_configs:
  - job_name: rehearse
    scrape_interval: 500ms
    static_configs: [{targets: ["127.0.0.1:${scrape}"]}]
`;
}

/** The scenario `end` keeps the run open until Prometheus has scraped the values of the other. */
function plan(api: number, scrape: number, scraped: number): string {
  return `outputs:
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
  end:
    executor: per-vu-iterations
    after: main
    vus: 1
    iterations: 1
    flow: [{request: {url: "http://127.0.0.1:${scraped}/", timeout: 5m}}]
`;
}

async function compare(api: Api, { metrics, endpoints }: Summary): Promise<void> {
  const { count } = metrics.http_reqs as CounterStats;
  const duration = metrics.http_req_duration as TrendStats;
  const products = endpoints.find(({ name }) => name === "GET /api/products")!.count;
  const written = 'job=""';
  const expected: Record<string, number> = {
    [`rehearse_http_reqs_total{${written},name=""}`]: count,
    [`rehearse_http_reqs_total{${written},${NAME}}`]: products,
    [`rehearse_http_req_duration{${written},quantile="0.95"}`]: duration["p(95)"],
    [`rehearse_http_req_duration_seconds_bucket{${written},run_id="check",le="+Inf"}`]:
      duration.count,
    [`rehearse_endpoint_requests_total{${written},${NAME}}`]: products,
    [SCRAPED]: products,
  };
  for (const [selector, value] of Object.entries(expected)) {
    assertAlmostEquals(await api.last(selector) ?? NaN, value, 1e-9, selector);
  }
}

class Api {
  readonly #url: string;

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}/api/v1`;
  }

  // deno-lint-ignore no-explicit-any -- Prometheus' JSON
  async #get(path: string): Promise<any> {
    return await (await fetch(`${this.#url}/${path}`)).json();
  }

  async last(selector: string): Promise<number | undefined> {
    const query = encodeURIComponent(`last_over_time(${selector}[1m])`);
    const { data } = await this.#get(`query?query=${query}`);
    return data.result[0] && Number(data.result[0].value[1]);
  }

  /** Reports whether Prometheus is running and has found the scrape target. */
  hasTarget(): Promise<boolean> {
    return this.#get("targets").then(({ data }) => data.activeTargets.length > 0, () => false);
  }

  /** Returns the queries of the Grafana dashboard that return no data. */
  async brokenPanels(): Promise<string[]> {
    const { panels } = JSON.parse(Deno.readTextFileSync(DASHBOARD));
    const broken: string[] = [];
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const query = expr.replaceAll("$job", ".*").replaceAll("$run", "check")
          .replaceAll("$__rate_interval", "1m");
        const { status, data } = await this.#get(`query?query=${encodeURIComponent(query)}`);
        if (status !== "success" || data.result.length === 0) broken.push(`${title}: ${query}`);
      }
    }
    return broken;
  }
}

/** Waits until `check` returns true, for at most two minutes. */
async function until(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Prometheus does not show what was expected");
}
