/**
 * Checks the files in `deploy` and the shell scripts with other programs. `shellcheck` checks the
 * scripts, `kubectl` or `kustomize` builds each folder that has a kustomization, and an HCL parser
 * from npm parses the Nomad job files. Skips the checks of programs that are not available. Prints
 * the number of checks.
 *
 *     deno run -A --no-lock scripts/fleet/check_deploy.ts
 */
import { parseAll } from "@std/yaml";
import { dirname } from "@std/path";
import { CheckCounts, isInstalled, runProgram } from "../toolchain/report.ts";

/** Parser for HCL, the language of Nomad job files. It returns null for invalid text. */
const HCL_PARSER = "npm:hcl2-parser@1.0.3";
const ROOT = new URL("../..", import.meta.url).pathname;
const counts = new CheckCounts();

const files = [...walk("deploy"), ...walk("scripts/fleet"), "install.sh", ".ci/run"];
if (await isInstalled("shellcheck", "--version")) {
  for (const path of files.filter((path) => /\.(?:sh|sbatch)$|^\.ci\/run$/.test(path))) {
    const { code, stdout } = await runProgram(["shellcheck", path], { cwd: ROOT });
    counts.check(`shellcheck ${path}`, code === 0, stdout);
  }
}
const build = await isInstalled("kubectl", "version", "--client")
  ? ["kubectl", "kustomize"]
  : await isInstalled("kustomize", "version")
  ? ["kustomize", "build"]
  : undefined;
if (build !== undefined) {
  const folders = files.filter((path) => path.endsWith("/kustomization.yaml"))
    .map((path) => dirname(path));
  // The folder with the transformer contains no resources.
  for (const folder of folders.filter((path) => !path.endsWith("/shards"))) {
    const { code, stdout, stderr } = await runProgram([...build, folder], { cwd: ROOT });
    counts.check(`${build.join(" ")} ${folder}`, code === 0, stderr);
    if (code === 0) checkShards(folder, stdout);
  }
}
const parser = await import(HCL_PARSER).catch(() => console.log(`cannot load ${HCL_PARSER}`));
if (parser !== undefined) {
  for (const path of files.filter((path) => path.endsWith(".hcl"))) {
    const [parsed] = parser.default.parseToObject(Deno.readTextFileSync(ROOT + path));
    const groups = Object.keys(parsed?.job?.rehearse?.[0].group ?? {}).sort();
    counts.check(
      `${path} is HCL with both groups`,
      groups.join() === "joiners,leader",
      groups.join(),
    );
  }
}
console.log(`deploy check: ${counts.passed} passed, ${counts.failed} failed`);
Deno.exit(counts.failed === 0 ? 0 : 1);

interface Job {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly completions?: number;
    readonly parallelism?: number;
    readonly template: {
      readonly spec: { readonly containers: readonly [{ readonly env?: readonly Variable[] }] };
    };
  };
}

interface Variable {
  readonly name: string;
  readonly value?: unknown;
}

/**
 * Checks that the leader in a built kustomization expects as many shards as the kustomization has
 * pods that run `rehearse join`.
 */
function checkShards(folder: string, text: string): void {
  const resources = parseAll(text) as Job[];
  const job = (name: string) =>
    resources.find(({ kind, metadata }) => kind === "Job" && metadata.name === name)?.spec;
  const joiners = job("rehearse-joiners");
  const leader = job("rehearse-leader");
  if (joiners === undefined || leader === undefined) return;
  const shards = leader.template.spec.containers[0].env?.find(({ name }) => name === "SHARDS");
  const expected = folder.endsWith("/twenty-joiners") ? 20 : 4;
  const actual = [joiners.completions, joiners.parallelism, shards?.value];
  counts.check(
    `${folder} has ${expected} shards`,
    JSON.stringify(actual) === JSON.stringify([expected, expected, String(expected)]),
    actual.join(),
  );
}

function* walk(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
    if (isDirectory) yield* walk(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}
