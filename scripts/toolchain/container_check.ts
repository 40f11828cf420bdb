/**
 * Builds the Dockerfile's image with `buildah`, unpacks it, and runs it with `runc`: once as the
 * image's user, and once as the owner of a mounted folder to which the reports are written.
 *
 *     deno run -A --no-lock scripts/toolchain/container_check.ts [--binary FILE] [--runc PROGRAM]
 *
 * --binary  binary for this platform, from `deno task compile`. Without it, the image contains a
 *           program that starts this machine's `deno` with the source, for machines that cannot
 *           download the base executable of Deno.
 * --runc    path or name of the runc program (default: `runc`)
 *
 * Needs root on Linux with buildah, runc and a C compiler. The base image, which the Dockerfile
 * takes from a registry, is replaced by one with the libraries of this machine.
 */
import { parseArgs } from "@std/cli/parse-args";
import { startDemo } from "../../src/demo/server.ts";
import { binaryName } from "../binary.ts";
import { copyProgram, run } from "../fleet/cluster/container_image.ts";
import { CheckCounts, type Finished, runProgram } from "./report.ts";
import config from "../../deno.json" with { type: "json" };

const options = parseArgs(Deno.args, { string: ["binary", "runc"], default: { runc: "runc" } });
const ROOT = new URL("../..", import.meta.url).pathname;
const LAUNCHER = `#include <unistd.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  char **args = calloc(argc + 6, sizeof(char *));
  char *first[] = {"deno", "run", "-A", "--no-prompt", "--cached-only", "/app/main.ts"};
  for (int i = 0; i < 6; i++) args[i] = first[i];
  for (int i = 1; i < argc; i++) args[i + 5] = argv[i];
  setenv("DENO_DIR", "/deno", 1);
  return execv("/usr/bin/deno", args);
}
`;

const counts = new CheckCounts();
const folder = await Deno.makeTempDir({ prefix: "rehearse-container-" });
const store = [
  "--root",
  `${folder}/store`,
  "--runroot",
  `${folder}/run`,
  "--storage-driver",
  "vfs",
];
const buildah = (...args: string[]) => run("buildah", [...store, ...args]);
const demo = await startDemo({ port: 0, catchAll: true });
try {
  const bundle = await buildImage();
  await checkImage(bundle);
} finally {
  await demo.stop();
  await runProgram(["buildah", ...store, "umount", "--all"]);
  await Deno.remove(folder, { recursive: true });
}
console.log(`container check: ${counts.passed} passed, ${counts.failed} failed`);
Deno.exit(counts.failed === 0 ? 0 : 1);

interface Unpacked {
  /** Root of the file system of the image. */
  readonly rootfs: string;
  readonly config: {
    readonly Entrypoint: readonly string[];
    readonly User: string;
    readonly WorkingDir: string;
    readonly Env: readonly string[];
  };
}

/**
 * Builds the base image, builds the Dockerfile's image on it, and unpacks the Dockerfile's image.
 */
async function buildImage(): Promise<Unpacked> {
  const context = `${folder}/context`;
  await Deno.mkdir(`${context}/dist`, { recursive: true });
  await Deno.copyFile(`${ROOT}Dockerfile`, `${context}/Dockerfile`);
  const binary = `${context}/dist/${binaryName(config.version, Deno.build.target)}`;
  const base = `${folder}/base`;
  await Deno.mkdir(`${base}/tmp`, { recursive: true });
  await Deno.chmod(`${base}/tmp`, 0o1777);
  await copyProgram(Deno.execPath(), base, "/usr/bin/deno");
  if (options.binary === undefined) {
    await Deno.writeTextFile(`${folder}/launcher.c`, LAUNCHER);
    await run("cc", ["-static", "-o", binary, `${folder}/launcher.c`]);
    await Deno.mkdir(`${base}/app`);
    for (const name of ["main.ts", "deno.json", "deno.lock", "src"]) {
      await run("cp", ["-r", `${ROOT}${name}`, `${base}/app/`]);
    }
    const cache = [
      "-C",
      `${base}/app`,
      `DENO_DIR=${base}/deno`,
      Deno.execPath(),
      "cache",
      "main.ts",
    ];
    await run("env", cache);
    // Every user of the image needs to write to Deno's cache.
    await run("chmod", ["-R", "a+rwX", `${base}/deno`]);
  } else await Deno.copyFile(options.binary, binary);

  const scratch = (await buildah("from", "scratch")).trim();
  await buildah("copy", "--quiet", scratch, base, "/");
  await buildah("commit", "--quiet", scratch, "localhost/base");
  const arch = Deno.build.arch === "x86_64" ? "amd64" : "arm64";
  const build = ["build", "--isolation", "chroot", "--quiet", "--platform", `linux/${arch}`];
  await buildah(
    ...build,
    "--build-arg",
    "BASE=localhost/base",
    "-t",
    "localhost/rehearse",
    context,
  );
  const container = (await buildah("from", "localhost/rehearse")).trim();
  const rootfs = (await buildah("mount", container)).trim();
  const { OCIv1 } = JSON.parse(await buildah("inspect", "--type", "image", "localhost/rehearse"));
  return { rootfs, config: OCIv1.config };
}

async function checkImage(image: Unpacked): Promise<void> {
  const { Entrypoint, User, WorkingDir } = image.config;
  const set = `${Entrypoint} ${User} ${WorkingDir}`;
  counts.check(
    "the image specifies the binary, a user and a folder",
    set ===
      "/usr/local/bin/rehearse 65532:65532 /plans",
    set,
  );
  const plans = `${folder}/plans`;
  await Deno.mkdir(plans);
  await Deno.writeTextFile(
    `${plans}/plan.yaml`,
    `scenarios:
  main: { executor: shared-iterations, vus: 1, iterations: 3, flow: [{ request: { url: / } }] }
thresholds: { http_reqs: ["count==3"] }
`,
  );
  const version = await runImage(image, { args: ["--version"] });
  counts.check(
    "the image prints the version",
    version.stdout.includes(config.version),
    version.stderr,
  );
  const target = ["--base-url", demo.origin, "--quiet"];
  const foreign = await runImage(image, { args: ["run", "plan.yaml", ...target], plans });
  counts.check("the image runs a plan", foreign.code === 0, foreign.stdout + foreign.stderr);
  const write = ["run", "plan.yaml", ...target, "--html", "report.html"];
  const refused = await runImage(image, { args: write, plans });
  counts.check(
    "the user of the image cannot write to a folder of others",
    refused.code === 1 &&
      refused.stderr.includes("report.html"),
    refused.stderr,
  );
  await run("chown", ["-R", "1234:1234", plans]);
  const owner = await runImage(image, { args: write, plans, user: "1234:1234" });
  counts.check("the owner of the folder gets the report", owner.code === 0, owner.stderr);
  const report = await Deno.stat(`${plans}/report.html`).catch(() => undefined);
  counts.check("the report belongs to the owner", report?.uid === 1234);
  const failing = ["run", "plan.yaml", ...target, "--iterations", "2"];
  const failed = await runImage(image, { args: failing, plans });
  counts.check("the exit code is that of the run", failed.code === 99, failed.stdout);
  await checkStop(image, plans);
}

/** Checks that SIGTERM, which `docker stop` sends, ends a run with a summary and exit code 130. */
async function checkStop(image: Unpacked, plans: string): Promise<void> {
  const args = ["run", "endless.yaml", "--base-url", demo.origin];
  await Deno.writeTextFile(
    `${plans}/endless.yaml`,
    "scenarios:\n  main: { executor: constant-vus, vus: 1, duration: 10m, flow: [{ request: { url: / } }] }\n",
  );
  const { bundle, id, state } = await makeBundle(image, { args, plans });
  const before = demo.stats().requests;
  const ended = runProgram([options.runc, ...state, "run", "--bundle", bundle, id]);
  // The first process of a container ignores SIGTERM until it listens for it.
  while (demo.stats().requests === before) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await run(options.runc, [...state, "kill", id, "TERM"]);
  const { code, stdout } = await ended;
  counts.check(
    "SIGTERM ends a run with a summary",
    code === 130 && stdout.includes("INTERRUPTED"),
    stdout,
  );
}

interface RunOptions {
  readonly args: readonly string[];
  /** Folder to mount as the container's working directory. */
  readonly plans?: string;
  readonly user?: string;
}

/** Runs the image with the network of this machine, as `docker run --network host` does. */
async function runImage(image: Unpacked, run: RunOptions): Promise<Finished> {
  const { bundle, id, state } = await makeBundle(image, run);
  return await runProgram([options.runc, ...state, "run", "--bundle", bundle, id]);
}

/** Writes a bundle, the folder with the configuration that `runc` needs to run the image. */
async function makeBundle(
  { rootfs, config }: Unpacked,
  { args, plans, user = config.User }: RunOptions,
) {
  const bundle = await Deno.makeTempDir({ dir: folder });
  await run(options.runc, ["spec", "--bundle", bundle]);
  const spec = JSON.parse(await Deno.readTextFile(`${bundle}/config.json`));
  const [uid, gid] = user.split(":").map(Number);
  Object.assign(spec.process, {
    terminal: false,
    user: { uid, gid },
    args: [...config.Entrypoint, ...args],
    cwd: config.WorkingDir,
    env: [...config.Env ?? [], "NO_COLOR=1", "HOME=/tmp"],
  });
  spec.root = { path: rootfs, readonly: false };
  spec.mounts.push({ destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["mode=1777"] });
  if (plans !== undefined) {
    const mount = { destination: config.WorkingDir, type: "bind", source: plans };
    spec.mounts.push({ ...mount, options: ["bind", "rw"] });
  }
  spec.linux.namespaces = spec.linux.namespaces
    .filter(({ type }: { type: string }) => type !== "network" && type !== "cgroup");
  await Deno.writeTextFile(`${bundle}/config.json`, JSON.stringify(spec));
  const id = `rehearse-${crypto.randomUUID()}`;
  return { bundle, id, state: ["--root", `${folder}/runc`] };
}
