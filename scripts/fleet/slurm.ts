/**
 * Tests `deploy/slurm/rehearse.sbatch` on a real Slurm cluster with one node. Starts Slurm, submits
 * jobs, checks and prints exit codes, request counts and delays, and stops everything that it
 * started.
 *
 *     deno run -A scripts/fleet/slurm.ts [--port N]
 *
 * --port  first of 10 free ports on 127.0.0.1 (default: 21780)
 *
 * Needs root, and Debian's packages `slurm-wlm`, `munge`, `nginx` and `nats-server`.
 */
import { parseArgs } from "@std/cli/parse-args";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { Checks, endOf, loadPlan, requests, sleep, startSpread } from "./cluster/checks.ts";
import { run } from "./cluster/container_image.ts";
import { startTarget, type Target } from "./cluster/target.ts";

const options = parseArgs(Deno.args, { string: ["port"], default: { port: "21780" } });
const PORT = Number(options.port);
const ROOT = new URL("../..", import.meta.url).pathname;
const TASKS = 4;
const RATE = 100;

const scratch = await Deno.makeTempDir({ prefix: "rehearse-slurm-" });
const script = (name: string) => new URL(`cluster/slurm_${name}.sh`, import.meta.url).pathname;
const slurm = {
  SLURM_STATE: `${scratch}/slurm`,
  SLURM_PORT: String(PORT),
  SLURM_CONF: `${scratch}/slurm/slurm.conf`,
};
const env = {
  ...slurm,
  PATH: `${scratch}/bin:${Deno.env.get("PATH")}`,
  REHEARSE_BUS_PORT: String(PORT + 2),
  NO_COLOR: "1",
};
const checks = new Checks();
let target: Target | undefined;
try {
  await installRehearse();
  target = await startTarget(`${scratch}/target`, PORT + 3);
  await run("bash", [script("up")], slurm);
  console.log((await run("sinfo", ["--version"], slurm)).trim());
  await testVerdict(target);
  await testFailedThreshold(target);
  await testKilledTask(target);
  await testAbort(target);
} finally {
  await run("bash", [script("down")], slurm);
  await target?.stop();
  await Deno.remove(scratch, { recursive: true });
}
Deno.exit(checks.end("slurm"));

async function testVerdict(target: Target): Promise<void> {
  console.log("\n== verdict");
  const { code, summary, log } = await submit(target, { seconds: 20 });
  checks.check("the exit code of the job is 0", code === 0, log);
  checks.check("the run passed", summary.passed === true);
  checks.check("all iterations started", requests(summary) === 20 * RATE);
  checks.check("all requests reached the target", target.times().length === 20 * RATE);
  const spread = startSpread(summary);
  checks.check("the shards started within 50 ms", spread <= 50);
  console.log(`requests: ${requests(summary)} of ${20 * RATE}; starts within ${spread} ms`);
}

async function testFailedThreshold(target: Target): Promise<void> {
  console.log("\n== failed threshold");
  const threshold = `http_reqs: ["count<10"]`;
  const { code, log } = await submit(target, { seconds: 5, threshold });
  checks.check("the exit code of the job is 99", code === 99, log);
}

async function testKilledTask(target: Target): Promise<void> {
  console.log("\n== killed task");
  let pid = 0;
  const { code, summary, log } = await submit(target, { seconds: 20 }, async () => {
    await sleep(10_000);
    [pid] = joiners();
    Deno.kill(pid, "SIGKILL");
  });
  checks.check("the exit code of the job is 1", code === 1, log);
  const message = summary.accepted.map(({ message }) => message).join();
  checks.check("the report identifies the task", pid > 0 && message.includes(` ${pid})`), message);
  console.log(`report: ${message}`);
  const [sent, counted] = [target.times().length, requests(summary)];
  console.log(`requests at the target: ${sent}, in the summary: ${counted}`);
  const isCounted = counted <= sent && sent - counted <= 2 * RATE / TASKS;
  checks.check("the last snapshot of the task counts", isCounted);
}

async function testAbort(target: Target): Promise<void> {
  console.log("\n== aborted");
  const threshold = `http_req_failed: [{threshold: "rate<0.01", abort_on_fail: true}]`;
  let failedAt = 0;
  let ends: number[] = [];
  const { code, summary, log } = await submit(target, { seconds: 60, threshold }, async () => {
    const watched = Promise.all(joiners().map(endOf));
    await sleep(8_000);
    failedAt = Date.now();
    target.fail();
    ends = await watched;
  });
  checks.check("the exit code of the job is 99", code === 99, log);
  checks.check("the run ended by a threshold", summary.ending === "threshold");
  const last = Math.max(...ends) - failedAt;
  console.log(`from the first failed request: last of ${ends.length} tasks ended after ${last} ms`);
  checks.check("all tasks ended within 2 s", ends.length === TASKS && last <= 2_000);
}

/** Submits a job, and waits until it ends. Calls `during` when the load has started. */
async function submit(
  target: Target,
  load: { seconds: number; threshold?: string },
  during: () => Promise<void> = () => Promise.resolve(),
): Promise<{ code: number; summary: Summary; log: string }> {
  target.clear();
  const plan = loadPlan({ port: target.port, rate: RATE, ...load });
  await Deno.writeTextFile(`${scratch}/plan.yaml`, plan);
  await Deno.remove(`${scratch}/summary.json`).catch(() => {});
  const job = new Deno.Command("sbatch", {
    args: [
      ...["--wait", `--ntasks=${TASKS}`, "--mem-per-cpu=500M", `--output=${scratch}/job.log`],
      ...[`${ROOT}deploy/slurm/rehearse.sbatch`, "plan.yaml"],
      ...["--summary-export", "summary.json"],
    ],
    cwd: scratch,
    env,
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const acting = target.firstRequest().then(during);
  const { code } = await job.status;
  const log = await Deno.readTextFile(`${scratch}/job.log`);
  await acting;
  const text = await Deno.readTextFile(`${scratch}/summary.json`).catch(() => undefined);
  if (text === undefined) throw new Error(`the leader wrote no summary:\n${log}`);
  return { code, log, summary: JSON.parse(text) };
}

/** Installs a program `rehearse`, which runs this source, in a folder on the PATH. */
async function installRehearse(): Promise<void> {
  await Deno.mkdir(`${scratch}/bin`);
  const path = `${scratch}/bin/rehearse`;
  const command = `exec ${Deno.execPath()} run -A --no-prompt ${ROOT}main.ts "$@"`;
  await Deno.writeTextFile(path, `#!/bin/sh\n${command}\n`);
  await Deno.chmod(path, 0o755);
}

/** Returns the ids of the processes that run `rehearse join` in the running job. */
function joiners(): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    try {
      const args = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
      const variables = Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0");
      return args.includes("join") && args.some((arg) => arg.endsWith("/main.ts")) &&
        variables.includes(`SLURM_CONF=${slurm.SLURM_CONF}`) &&
        variables.some((text) => text.startsWith("SLURM_PROCID="));
    } catch {
      return false;
    }
  });
}
