/**
 * Tests the shipped manifests on a real Kubernetes cluster with one node. Builds and starts
 * Kubernetes, imports an image built from this source, applies `deploy/kubernetes`, checks and
 * prints exit codes, request counts and delays, and stops everything that it started.
 *
 *     deno run -A scripts/fleet/kubernetes.ts [--bin DIR] [--port N] [--only NAME]
 *       [--minio PROGRAM]
 *
 * --bin    folder for the programs of Kubernetes, which are built if it is empty
 *          (default: ~/.cache/kube-one)
 * --port   first of 20 free ports on 127.0.0.1 (default: 21700)
 * --only   run only this test: verdict, failed, killed, aborted, secure, metrics or logs
 * --minio  path of MinIO, for the test `logs`, such as from
 *          `go install github.com/minio/minio@latest`
 *
 * Needs root on Linux with cgroups and overlayfs, Go, Debian's packages `nginx` and `nats-server`,
 * and `openssl`. The overlay `one-node` adapts the base to a node without a pod network and without
 * registries. `buildTestImages` describes how the image differs from that of the Dockerfile.
 */
import { parseArgs } from "@std/cli/parse-args";
import { relative } from "@std/path";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { Checks, loadPlan, requests, sleep, startSpread } from "./cluster/checks.ts";
import { startTarget, type Target } from "./cluster/target.ts";
import { run } from "./cluster/container_image.ts";
import { type Cluster, startCluster } from "./cluster/one_node.ts";
import { startMinio } from "./cluster/minio.ts";
import { logOverlay, nodeOverlay } from "./cluster/node_overlay.ts";

const options = parseArgs(Deno.args, {
  string: ["bin", "port", "only", "minio"],
  default: { bin: `${Deno.env.get("HOME")}/.cache/kube-one`, port: "21700" },
});
const ROOT = new URL("../..", import.meta.url).pathname;
const DEPLOY = `${ROOT}deploy/kubernetes`;
const PORT = Number(options.port);
const JOINERS = 4;
const RATE = 100;

/** Results of applying the manifests once. */
interface Applied {
  /** Exit code of the leader's container. */
  readonly code: number;
  readonly summary: Summary;
  /** Output of the leader. */
  readonly log: string;
  /** Exit codes of the containers that run `rehearse join`, in the order of their pods' names. */
  readonly joiners: readonly number[];
  /** Conditions of the Jobs, such as `Complete`, keyed by Job name. */
  readonly jobs: Readonly<Record<string, string>>;
  /** Seconds from `kubectl apply` until the leader's container ended. */
  readonly seconds: number;
}

const TESTS: Readonly<Record<string, () => Promise<void>>> = {
  verdict: testVerdict,
  failed: testFailedThreshold,
  killed: testKilledPod,
  aborted: testAbort,
  secure: testSecureBus,
  metrics: testMetrics,
  logs: testLogs,
};

const scratch = await Deno.makeTempDir({ prefix: "rehearse-kubernetes-" });
const checks = new Checks();
let target!: Target;
let cluster!: Cluster;
try {
  target = await startTarget(`${scratch}/target`, PORT + 10);
  cluster = await startCluster({ bin: options.bin, folder: scratch, port: PORT });
  console.log(`kubernetes ${await cluster.kubectl("version", "-o", "json").then(serverVersion)}`);
  for (const [name, test] of Object.entries(TESTS)) {
    if (options.only !== undefined && options.only !== name) continue;
    console.log(`\n== ${name}`);
    await test();
  }
} finally {
  await cluster?.stop();
  await target?.stop();
  await Deno.remove(scratch, { recursive: true });
}
Deno.exit(checks.end("kubernetes"));

async function testVerdict(): Promise<void> {
  const applied = await apply("base", { seconds: 20 });
  const { code, summary, joiners, seconds } = applied;
  checks.check("the exit code of the leader is 0", code === 0, applied.log);
  checks.check(
    "all joiners exit with 0",
    joiners.length === JOINERS && joiners.every((c) => c === 0),
  );
  checks.check("the run passed", summary.passed === true);
  const scheduled = RATE * 20;
  checks.check("all iterations started", requests(summary) === scheduled);
  checks.check("all requests reached the target", target.times().length === scheduled);
  const spread = startSpread(summary);
  checks.check("the shards started within 50 ms", spread <= 50);
  console.log(`from \`kubectl apply -k\` to the end of the leader: ${seconds.toFixed(1)} s`);
  console.log(`requests: ${requests(summary)} of ${scheduled}; starts within ${spread} ms`);
}

async function testFailedThreshold(): Promise<void> {
  const applied = await apply("base", { seconds: 5, threshold: `http_reqs: ["count<10"]` });
  checks.check("the exit code of the leader is 99", applied.code === 99, applied.log);
  checks.check("the joiners exit with 0", applied.joiners.every((code) => code === 0));
  checks.check("the Job of the leader has failed", applied.jobs["rehearse-leader"] === "Failed");
  checks.check(
    "the Job of the joiners is complete",
    applied.jobs["rehearse-joiners"] === "Complete",
  );
}

async function testKilledPod(): Promise<void> {
  const second = 10;
  let pod = "";
  const applied = await apply("base", { seconds: 20 }, async () => {
    await sleep(second * 1_000);
    ({ pod } = await cluster.kill("joiner"));
  });
  const { code, summary, joiners } = applied;
  checks.check("the exit code of the leader is 1", code === 1, applied.log);
  const message = summary.accepted.map(({ message }) => message).join();
  checks.check("the report identifies the pod", pod !== "" && message.includes(pod));
  console.log(`report: ${message}`);
  checks.check("one joiner was killed", joiners.filter((code) => code !== 0).join() === "137");
  const sent = target.times().length;
  const counted = requests(summary);
  console.log(`requests at the target: ${sent}, in the summary: ${counted}`);
  // The pod reports every second, so at most about its last two seconds are missing.
  const most = 2 * RATE / JOINERS;
  checks.check("the last snapshot of the pod counts", counted <= sent && sent - counted <= most);
  const lost = summary.shards.find(({ ending }) => ending === "lost");
  checks.check("one shard is lost", lost !== undefined && lost.duration_ms >= (second - 2) * 1_000);
}

async function testAbort(): Promise<void> {
  const threshold = `http_req_failed: [{threshold: "rate<0.01", abort_on_fail: true}]`;
  let failedAt = 0;
  let ends: readonly number[] = [];
  const applied = await apply("base", { seconds: 60, threshold }, async () => {
    const watched = cluster.watchEnds();
    await sleep(8_000);
    failedAt = Date.now();
    target.fail();
    ends = await watched;
  });
  target.succeed();
  checks.check("the exit code of the leader is 99", applied.code === 99, applied.log);
  checks.check("the run ended by a threshold", applied.summary.ending === "threshold");
  const lastRequest = Math.max(...target.times()) - failedAt;
  const lastEnd = Math.max(...ends) - failedAt;
  console.log(`from the first failed request: last request after ${lastRequest.toFixed(0)} ms`);
  console.log(
    `from the first failed request: last of ${ends.length} pods ended after ${lastEnd} ms`,
  );
  checks.check("all pods ended", ends.length === JOINERS + 1);
  checks.check("all pods ended within 2 s", lastEnd <= 2_000);
}

async function testSecureBus(): Promise<void> {
  await makeCertificate();
  const secret = ["create", "secret", "generic"];
  await cluster.kubectl(
    ...[...secret, "rehearse-bus-login", "--from-literal=NATS_USER=rehearse"],
    "--from-literal=NATS_PASSWORD=p@ss word",
  );
  const files = ["tls.crt", "tls.key", "ca.crt"].map((name) => `--from-file=${scratch}/${name}`);
  await cluster.kubectl(...secret, "rehearse-bus-tls", ...files);
  const applied = await apply("overlays/secure-bus", { seconds: 5 });
  checks.check("the run passes over TLS with a password", applied.code === 0, applied.log);
  checks.check("all requests are counted", requests(applied.summary) === 5 * RATE);
}

async function testMetrics(): Promise<void> {
  const address = `127.0.0.1:${PORT + 14}`;
  const more = `env: {prometheus: {outputs: [{type: prometheus, listen: "${address}"}]}}\n`;
  let text = "";
  const applied = await apply("overlays/prometheus", { seconds: 8, more }, async () => {
    await sleep(4_000);
    text = await (await fetch(`http://${address}/metrics`)).text();
  });
  checks.check("the run passes", applied.code === 0, applied.log);
  const [, count] = /^rehearse_http_reqs_total\{[^}]*run_id="run"[^}]*\} (\d+)/m.exec(text) ?? [];
  checks.check("the leader serves the requests of all shards", Number(count) >= RATE, text);
  const histogram = /^rehearse_http_req_duration_seconds_bucket\{/m;
  checks.check("the leader serves a histogram of all shards", histogram.test(text));
}

async function testLogs(): Promise<void> {
  if (options.minio === undefined) return console.log("skipped: add `--minio PROGRAM`");
  const log = await Deno.readFile(`${ROOT}testdata/logs/apache_combined_10k.log`);
  const minio = await startMinio({
    program: options.minio,
    folder: `${scratch}/store`,
    port: PORT + 15,
    buckets: ["logs", "scratch"],
  });
  try {
    for (let i = 0; i < 10; i++) {
      await minio.store.put({ bucket: "logs", key: `day/${i}.log` }, log);
    }
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...variables } = minio.variables;
    await cluster.kubectl(
      ...["create", "secret", "generic", "rehearse-logs-login"],
      `--from-literal=AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID}`,
      `--from-literal=AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}`,
    );
    const overlay = `${scratch}/logs`;
    await Deno.mkdir(overlay);
    await logOverlay(overlay, {
      base: relative(overlay, `${DEPLOY}/log-profile`),
      variables: { ...variables, LOGS: "s3://logs/day/", PROFILES: "s3://scratch/profiles/" },
    });
    await cluster.kubectl("apply", "-k", overlay);
    const jobs = await cluster.jobs();
    checks.check("the Job is complete", jobs["rehearse-log-profile"] === "Complete");
    await cluster.kubectl("delete", "-k", overlay, "--wait=true");
    const convert = (input: string) =>
      run(Deno.execPath(), ["run", "-A", `${ROOT}main.ts`, "convert", input], minio.variables);
    const [merged, whole] = [
      await convert("s3://scratch/profiles/"),
      await convert("s3://logs/day/"),
    ];
    checks.check("the plan from the profiles is the plan from the logs", merged === whole, merged);
    console.log(`plan from 4 profiles of 10 objects: ${merged.length} bytes`);
  } finally {
    await minio.stop();
  }
}

async function makeCertificate(): Promise<void> {
  const openssl = (...args: string[]) => run("openssl", args);
  const at = (name: string) => `${scratch}/${name}`;
  const names = ["-subj", "/CN=rehearse-bus"];
  const authority = ["-keyout", at("ca.key"), "-out", at("ca.crt"), "-subj", "/CN=test authority"];
  await openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...authority);
  const request = ["-keyout", at("tls.key"), "-out", at("tls.csr")];
  await openssl("req", "-newkey", "rsa:2048", "-nodes", ...request, ...names);
  await Deno.writeTextFile(at("san"), "subjectAltName=DNS:rehearse-bus\n");
  const signer = ["-CA", at("ca.crt"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "1"];
  const files = ["-in", at("tls.csr"), "-out", at("tls.crt"), "-extfile", at("san")];
  await openssl("x509", "-req", ...files, ...signer);
}

/**
 * Applies a folder of `deploy/kubernetes` with one `kubectl apply -k`, waits for the verdict, and
 * deletes everything. Calls `during` when the load has started.
 */
async function apply(
  folder: string,
  { more = "", ...load }: { seconds: number; threshold?: string; more?: string },
  during: () => Promise<void> = () => Promise.resolve(),
): Promise<Applied> {
  const overlay = `${scratch}/one-node`;
  const results = `${scratch}/results`;
  await Deno.mkdir(overlay, { recursive: true });
  await Deno.mkdir(results, { recursive: true });
  await Deno.chmod(results, 0o777);
  target.clear();
  await nodeOverlay(overlay, {
    base: relative(overlay, `${DEPLOY}/${folder}`),
    busPort: PORT + 12,
    monitorPort: PORT + 13,
    results,
    plan: loadPlan({ port: target.port, rate: RATE, ...load }) + more,
  });
  const startedAt = performance.now();
  await cluster.kubectl("apply", "-k", overlay);
  const acting = target.firstRequest().then(during);
  const code = await cluster.exitCode("leader");
  const seconds = (performance.now() - startedAt) / 1_000;
  await acting;
  const joiners = await cluster.exitCodes("joiner", JOINERS);
  const log = await cluster.log("leader");
  const text = await Deno.readTextFile(`${results}/summary.json`).catch(() => undefined);
  if (text === undefined) throw new Error(`the leader wrote no summary:\n${log}`);
  const jobs = await cluster.jobs();
  await cluster.kubectl("delete", "-k", overlay, "--wait=true");
  await Deno.remove(`${results}/summary.json`);
  return { code, seconds, joiners, log, jobs, summary: JSON.parse(text) };
}

function serverVersion(json: string): string {
  return JSON.parse(json).serverVersion.gitVersion;
}
