import { loadCommands } from "../../src/cli/cli.ts";
import { type CheckCounts, isInstalled, runProgram, serveAndStop } from "./report.ts";

/** Commands to run, in this order. `TARGET` is the URL of a server. */
const COMMANDS = `
version
schema
completions bash
demo --sample samples
demo --port 0
init samples/access.log --base-url TARGET --duration 1s -o first.yaml
convert samples/session.har -o session.yaml
convert samples/access.log -o log.yaml
validate first.yaml session.yaml log.yaml
inspect log.yaml
diff log.yaml log.yaml
export k6 session.yaml -o session.js
verify session.yaml --har samples/session.har
calibrate session.yaml --har samples/session.har --base-url TARGET -o live.yaml
run live.yaml --base-url TARGET --quiet --summary-export live.json
run log.yaml --base-url TARGET --quiet --duration 1s --workers 2 --shard 1/2 --summary-export 1.json
run log.yaml --base-url TARGET --quiet --duration 1s --workers 2 --shard 2/2 --summary-export 2.json
merge 1.json 2.json --allow shifted -o all.json
report all.json -o report.html
serve samples/session.har --port 0
join --fleet nats://127.0.0.1:1/check --join-timeout 1s
`.trim().split("\n");
const SERVERS = /^(demo --port|serve) /;

/**
 * Writes the npm package of the files in `dist/`, installs it into an empty folder, and runs every
 * command from there. `target` is the URL of the demo shop. Skips the check if npm is not
 * installed, or cannot reach its registry.
 */
export async function checkNpmPackage(
  { root, folder, target }: {
    readonly root: string;
    /** Empty folder in which the package is packed and installed. */
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
  const write = ["run", "--frozen", "-P=scripts", "scripts/release/npm_package.ts"];
  const written = await runProgram([Deno.execPath(), ...write, `${folder}/package`], { cwd: root });
  const packed = await runProgram(["npm", "pack", "--silent", "./package"], { cwd: folder });
  const archive = `${folder}/${packed.stdout.trim()}`;
  const npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder];
  const installed = await runProgram([...npm, archive]);
  const output = [written, packed, installed].map(({ stderr }) => stderr).join("");
  counts.check("the npm package can be installed", installed.code === 0, output);
  if (installed.code !== 0) return;

  const program = `${folder}/node_modules/.bin/rehearse`;
  // An empty cache shows whether a command needs packages that npm did not install.
  const options = { cwd: folder, env: { DENO_DIR: `${folder}/deno`, NO_COLOR: "1" } };
  for (const line of COMMANDS) {
    const command = [program, ...line.replace("TARGET", target).split(" ")];
    if (SERVERS.test(line)) {
      const { address, code, stderr } = await serveAndStop(command, options);
      // 143: SIGTERM arrived before the command listened for it.
      const isServed = address !== undefined && (code === 0 || code === 143);
      counts.check(`npm: rehearse ${line}`, isServed, `exit code ${code}\n${stderr}`);
    } else {
      const { code, stdout, stderr } = await runProgram(command, options);
      const expected = line.startsWith("join ") ? 1 : 0;
      counts.check(`npm: rehearse ${line}`, code === expected, stdout + stderr);
    }
  }
  const names = (await loadCommands()).map(({ name }) => name)
    .filter((name) => !COMMANDS.some((line) => line.split(" ")[0] === name));
  counts.check("npm: every command ran", names.length === 0, names.join(", "));
  const cached = Array.from(Deno.readDirSync(`${folder}/deno/npm`), (file) => file.name);
  counts.check("npm: no command downloaded packages", cached.length === 0, cached.join(", "));
}
