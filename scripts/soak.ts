/**
 * Runs a long test against faulty servers to check that memory use stays flat and nothing hangs:
 *
 *     deno task soak [--minutes 10] [--rate 300]
 *
 * Starts `rehearse run` as a child process, against the demo shop (slow and failing pages,
 * sessions, JSON) and, ten times per second, against servers that refuse, reset, stall or send
 * garbage. Prints the memory use of the process over time. Exits with 1 if the run fails or does
 * not encounter every kind of fault.
 */
import { parseArgs } from "@std/cli/parse-args";
import { createServer } from "node:net";
import { startDemo } from "../src/demo/server.ts";
import type { Plan } from "../src/plan/schema/plan.ts";
import type { Step } from "../src/plan/kinds/steps.ts";
import type { Summary } from "../src/engine/summary/summary.ts";
import type { CounterStats } from "../src/engine/summary/flow_stats.ts";

const args = parseArgs(Deno.args, {
  string: ["minutes", "rate"],
  default: { minutes: "10", rate: "300" },
});
const [minutes, rate] = [Number(args.minutes), Number(args.rate)];
const SAMPLES = 20;
const ROOT = new URL("..", import.meta.url);

const folder = Deno.makeTempDirSync({ prefix: "rehearse-soak-" });
const shop = startDemo({ failPercent: 1 });
const broken = await startBroken();
try {
  Deno.exitCode = await soak() ? 0 : 1;
} finally {
  await shop.stop();
  broken.close();
  Deno.removeSync(folder, { recursive: true });
}

async function soak(): Promise<boolean> {
  Deno.writeTextFileSync(`${folder}/plan.json`, JSON.stringify(plan()));
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "--allow-all", "main.ts", "run", `${folder}/plan.json`, "--quiet"]
      .concat("--summary-export", `${folder}/summary.json`),
    cwd: ROOT,
    stdout: "null",
  }).spawn();
  console.log("minute   memory");
  const startedAt = performance.now();
  const watch = setInterval(async () => {
    const minute = (performance.now() - startedAt) / 60_000;
    console.log(`${minute.toFixed(1).padStart(6)}${await residentMb(run.pid)} MB`);
  }, minutes * 60_000 / SAMPLES);
  const { code } = await run.status;
  clearInterval(watch);
  return code === 0 && report(JSON.parse(Deno.readTextFileSync(`${folder}/summary.json`)));
}

/** Prints the results. Reports whether iterations ran and every kind of fault occurred. */
function report({ metrics, errors, scenarios }: Summary): boolean {
  const sum = (of: (scenario: Summary["scenarios"][number]) => number) =>
    scenarios.reduce((total, scenario) => total + of(scenario), 0);
  const [iterations, dropped] = [sum((s) => s.iterations), sum((s) => s.dropped)];
  const { count } = metrics.http_reqs as CounterStats;
  console.log(`${count} requests, ${iterations} iterations, ${dropped} dropped`);
  const kinds = new Map<string, number>();
  for (const { kind, count } of errors) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  for (const [kind, count] of kinds) console.log(`${kind.padEnd(10)}${count}`);
  return iterations > 0 &&
    ["refused", "reset", "timeout", "protocol"].every((kind) => kinds.has(kind));
}

function plan(): Plan {
  const open = { duration: minutes * 60, pre_allocated_vus: 50, max_vus: 100 };
  return {
    defaults: { http: { base_url: shop.origin, timeout: "1s" } },
    scenarios: {
      shop: {
        executor: "constant-arrival-rate",
        rate,
        ...open,
        flow: weightedOne([
          ["/", { extract: [{ type: "css", name: "title", expression: "title" }] }],
          ["/api/products", {
            extract: [{ type: "jsonpath", name: "id", expression: "$..id" }],
            checks: [{ type: "status", equals: 200 }],
          }],
          ["/api/session"],
          ["/slow?ms=50"],
          ["/flaky?percent=20"],
        ]),
      },
      faults: {
        executor: "constant-arrival-rate",
        rate: 10,
        ...open,
        flow: weightedOne([
          ["http://127.0.0.1:1/refused"],
          ["/slow?ms=1500"],
          ...["/reset", "/garbage", "/cut", "/silence"].map((path): [string] => [
            `http://127.0.0.1:${broken.port}${path}`,
          ]),
        ]),
      },
    },
  };
}

function weightedOne(requests: readonly [url: string, more?: object][]): Step[] {
  const choices = requests.map(([url, more]) => ({
    weight: 1,
    name: url,
    steps: [{ request: { url, ...more } }],
  }));
  return [{ random: { strategy: "weighted", choices } }];
}

/**
 * Starts a server that resets connections, truncates responses, sends garbage or stalls, depending
 * on the path.
 */
async function startBroken(): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const path = data.toString("latin1").split(" ")[1];
      if (path === "/reset") {
        socket.write("HTTP/1.1 200 OK\r\n", () => socket.resetAndDestroy());
      } else if (path === "/garbage") socket.end("\0\x01nonsense\r\n\r\n");
      else if (path === "/cut") socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as { port: number }).port, close: () => server.close() };
}

/** Returns the resident memory of a process in megabytes, padded to align in a table. */
async function residentMb(pid: number): Promise<string> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", `${pid}`] })
    .output();
  return (Number(new TextDecoder().decode(stdout)) * 1_024 / 1e6).toFixed(0).padStart(9);
}
