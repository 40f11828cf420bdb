import { loadCommands } from "../../src/cli/commands.ts";
import config from "../../deno.json" with { type: "json" };
import { type CheckCounts, isInstalled, runProgram, serveAndStop } from "./report.ts";

/** Packages that only tests and scripts import. */
const TEST_PACKAGES: ReadonlySet<string> = new Set(["hdr-histogram-js", "js-tokens"]);

/**
 * Builds the npm package, packs it, installs it into an empty folder, and runs every command from
 * there. `target` is the URL of the demo shop. Skips the check if npm is not installed, or cannot
 * reach its registry.
 */
export async function checkNpmPackage(
  { root, folder, target }: {
    readonly root: string;
    /** Empty folder in which the package is built, packed and installed. */
    readonly folder: string;
    readonly target: string;
  },
  counts: CheckCounts,
): Promise<void> {
  if (!await isInstalled("npm", "--version")) return;
  const reached = await runProgram(["npm", "view", `deno@${Deno.version.deno}`, "version"]);
  if (reached.code !== 0) {
    return console.log("npm cannot reach its registry; the check of the npm package is skipped");
  }
  const build = ["run", "--frozen", "-P=scripts", "scripts/release/npm_package.ts"];
  const built = await runProgram([Deno.execPath(), ...build, `${folder}/package`], { cwd: root });
  const packed = await runProgram(["npm", "pack", "--silent", "./package"], { cwd: folder });
  const prefix = `${folder}/prefix`;
  await Deno.mkdir(prefix);
  const archive = `${folder}/${packed.stdout.trim()}`;
  const npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", prefix];
  const installed = await runProgram([...npm, archive]);
  const output = [built, packed, installed].map(({ stderr }) => stderr).join("");
  counts.check("the npm package can be built and installed", installed.code === 0, output);
  if (installed.code !== 0) return;

  const work = `${folder}/work`;
  await Deno.mkdir(work);
  const program = `${prefix}/node_modules/.bin/rehearse`;
  // An empty cache shows whether a command needs packages that npm did not install.
  const env = { DENO_DIR: `${folder}/deno`, NO_COLOR: "1" };
  const ran = new Set<string>();
  const run = async (expected: number, ...args: string[]) => {
    ran.add(args[0]);
    const { code, stdout, stderr } = await runProgram([program, ...args], { cwd: work, env });
    counts.check(`npm: rehearse ${args.join(" ")}`, code === expected, stdout + stderr);
    return stdout;
  };
  const serve = async (...args: string[]) => {
    ran.add(args[0]);
    const { address, code, stderr } = await serveAndStop([program, ...args], { cwd: work, env });
    // 143: SIGTERM arrived before the command listened for it.
    const isStopped = code === 0 || code === 143;
    const details = `address ${address}, exit code ${code}\n${stderr}`;
    counts.check(`npm: rehearse ${args.join(" ")}`, address !== undefined && isStopped, details);
  };

  const version = await run(0, "version");
  counts.check("npm: the version is that of the package", archive.includes(version.split(" ")[1]));
  await run(0, "schema");
  await run(0, "completions", "bash");
  await run(0, "demo", "--sample", "samples");
  await serve("demo", "--port", "0");
  const target1 = ["--base-url", target];
  await run(0, "init", "samples/access.log", ...target1, "--duration", "1s", "-o", "first.yaml");
  await run(0, "convert", "samples/session.har", "--correlate", "all", "-o", "session.yaml");
  await run(0, "convert", "samples/access.log", "-o", "log.yaml");
  await run(0, "validate", "first.yaml", "session.yaml", "log.yaml");
  await run(0, "inspect", "log.yaml");
  await run(0, "diff", "log.yaml", "log.yaml");
  await run(0, "export", "k6", "session.yaml", "-o", "session.js");
  await run(0, "verify", "session.yaml", "--har", "samples/session.har");
  await run(
    0,
    ...["calibrate", "session.yaml", "--har", "samples/session.har", ...target1, "-o", "live.yaml"],
  );
  await run(0, "run", "live.yaml", ...target1, "--quiet", "--summary-export", "live.json");
  // Two threads, so that the package must contain the modules of workers.
  const load = [...target1, "--quiet", "--duration", "1s", "--workers", "2"];
  for (const shard of ["1", "2"]) {
    await run(
      0,
      "run",
      "log.yaml",
      ...load,
      "--shard",
      `${shard}/2`,
      "--summary-export",
      `${shard}.json`,
    );
  }
  await run(0, "merge", "1.json", "2.json", "--allow", "shifted", "-o", "all.json");
  await run(0, "report", "all.json", "-o", "report.html");
  await serve("serve", "samples/session.har", "--port", "0");
  await run(1, "join", "--fleet", "nats://127.0.0.1:1/check", "--join-timeout", "1s");

  const licenses = await Deno.readTextFile(`${folder}/package/THIRD-PARTY-LICENSES`);
  for (const id of Object.values(config.imports).filter((id) => id.startsWith("npm:"))) {
    const [, name] = /^npm:(@?[^@]+)@/.exec(id)!;
    const isUsed = !TEST_PACKAGES.has(name);
    counts.check(`npm: the license of ${name}`, licenses.includes(`${name}@`) === isUsed);
  }
  const names = (await loadCommands()).map(({ name }) => name).filter((name) => !ran.has(name));
  counts.check("npm: every command ran", names.length === 0, names.join(", "));
  const cached = Array.from(Deno.readDirSync(`${folder}/deno/npm`), (file) => file.name);
  counts.check("npm: no command downloaded packages", cached.length === 0, cached.join(", "));
}
