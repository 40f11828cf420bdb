/**
 * Converts logs that a real MinIO server stores as objects: first with one process, then with two
 * processes that each profile half of them. Also converts the same logs from local files. Compares
 * the plans, and prints times and rates.
 *
 *     deno run -A scripts/fleet/object_storage.ts MINIO [--objects N] [--megabytes N] [--port N]
 *
 * MINIO        path of the program, such as from `go install github.com/minio/minio@latest`
 * --objects    number of objects (default: 200)
 * --megabytes  size of each object (default: 50)
 * --port       first of two free ports on 127.0.0.1 (default: 29100)
 *
 * A relay between the processes and MinIO cuts the first connection that
 * has transferred half of an object.
 */
import { parseArgs } from "@std/cli/parse-args";
import { startMinio } from "./cluster/minio.ts";

const { _: [minio], ...given } = parseArgs(Deno.args, {
  string: ["objects", "megabytes", "port"],
  default: { objects: "200", megabytes: "50", port: "29100" },
});
const [objects, megabytes, port] = [given.objects, given.megabytes, given.port].map(Number);
const root = new URL("../..", import.meta.url).pathname;
const folder = await Deno.makeTempDir({ prefix: "rehearse-objects-" });
const server = await startMinio({
  program: String(minio),
  folder: `${folder}/store`,
  port,
  buckets: ["logs", "scratch"],
});
const { store } = server;
const env = { ...server.variables, AWS_ENDPOINT_URL: `http://127.0.0.1:${port + 1}` };
const relay = startRelay();
let failed = 0;

try {
  await fillStore();
  const local = await timed("local files", ["convert", ...localPaths(), "--top", "all"]);
  const one = await timed("one process", ["convert", "s3://logs/2026/", "--top", "all"]);
  check("the plan from S3 is the plan from local files", one.stdout === local.stdout);
  relay.cutNext = true;
  const cut = await timed("one process, cut", ["convert", "s3://logs/2026/", "--top", "all"]);
  check("a connection was cut in the middle of an object", relay.cuts === 1);
  check("the plan is the same after a cut connection", cut.stdout === local.stdout);
  const started = performance.now();
  const halves = await Promise.all(
    ["1/2", "2/2"].map((shard) =>
      rehearse(["convert", "s3://logs/2026/", "--shard", shard, "--profile", "s3://scratch/p/"])
    ),
  );
  print("two processes", performance.now() - started);
  check("both shards wrote a profile", halves.every(({ code }) => code === 0));
  const merged = await timed("merge", ["convert", "s3://scratch/p/", "--top", "all"]);
  check("the plan from two profiles is the same", merged.stdout === local.stdout);
  await checkTruncated();
} finally {
  await server.stop();
  await relay.stop();
  await Deno.remove(folder, { recursive: true });
}
console.log(`object storage: ${failed === 0 ? "all checks passed" : `${failed} checks failed`}`);
Deno.exit(failed === 0 ? 0 : 1);

async function fillStore(): Promise<void> {
  const bytes = await makeLog();
  for (const path of localPaths()) await Deno.writeFile(path, bytes);
  for (let i = 0; i < objects; i++) await store.put({ bucket: "logs", key: key(i) }, bytes);
  console.log(`${objects} objects of ${(bytes.length / 1e6).toFixed(1)} MB`);
}

async function makeLog(): Promise<Uint8Array<ArrayBuffer>> {
  const sample = await Deno.readFile(`${root}testdata/logs/apache_combined_10k.log`);
  const copies = Math.max(1, Math.round(megabytes * 1e6 / sample.length));
  const bytes = new Uint8Array(copies * sample.length);
  for (let i = 0; i < copies; i++) bytes.set(sample, i * sample.length);
  return bytes;
}

async function checkTruncated(): Promise<void> {
  const bytes = await Deno.readFile(`${root}testdata/logs/apache_combined_10k.log`);
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const zipped = new Uint8Array(await new Response(stream).arrayBuffer());
  await store.put({ bucket: "logs", key: "half.log.gz" }, zipped.slice(0, zipped.length >> 1));
  const { code, stderr } = await rehearse(["convert", "s3://logs/half.log.gz"]);
  check("a truncated .gz is an error", code === 1 && stderr.includes("it is truncated"));
}

function key(i: number): string {
  return `2026/${String(i).padStart(4, "0")}.log`;
}

function localPaths(): string[] {
  return Array.from({ length: objects }, (_, i) => `${folder}/${String(i).padStart(4, "0")}.log`);
}

async function timed(name: string, args: string[]) {
  const started = performance.now();
  const outcome = await rehearse(args);
  print(name, performance.now() - started);
  check(`${name}: exit code 0`, outcome.code === 0);
  if (outcome.code !== 0) console.log(outcome.stderr.slice(0, 1_000));
  return outcome;
}

async function rehearse(args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--frozen", `${root}main.ts`, ...args],
    env,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

function print(name: string, ms: number): void {
  const rate = objects * megabytes / (ms / 1_000);
  console.log(`${name.padEnd(20)} ${(ms / 1_000).toFixed(1)} s  ${rate.toFixed(0)} MB/s`);
}

function check(name: string, passed: boolean): void {
  if (!passed) failed++;
  console.log(`${passed ? "passed" : "FAILED"}: ${name}`);
}

/** Starts a TCP relay to MinIO, which can cut a connection. */
function startRelay() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: port + 1 });
  const state = { cutNext: false, cuts: 0, stop: () => Promise.resolve(listener.close()) };
  (async () => {
    for await (const client of listener) relayOne(client).catch(() => {});
  })().catch(() => {});
  return state;

  async function relayOne(client: Deno.Conn): Promise<void> {
    const target = await Deno.connect({ hostname: "127.0.0.1", port });
    client.readable.pipeTo(target.writable).catch(() => {});
    let bytes = 0;
    const counted = target.readable.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          bytes += chunk.length;
          if (state.cutNext && bytes > megabytes * 5e5) {
            state.cutNext = false;
            state.cuts++;
            controller.error(new Error("cut"));
          } else controller.enqueue(chunk);
        },
      }),
    );
    await counted.pipeTo(client.writable).catch(() => client.close());
  }
}
