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

/** Parser for HCL, the language of Nomad job files. It returns null for invalid text. */
const HCL_PARSER = "npm:hcl2-parser@1.0.3";
const ROOT = new URL("../..", import.meta.url).pathname;
let [passed, failed] = [0, 0];

const files = [...walk("deploy"), ...walk("scripts/fleet"), "install.sh", ".ci/run"];
if (await found("shellcheck", "--version")) {
  for (const path of files.filter((path) => /\.(?:sh|sbatch)$|^\.ci\/run$/.test(path))) {
    const { code, text } = await output("shellcheck", path);
    check(`shellcheck ${path}`, code === 0, text);
  }
}
const build = await found("kubectl", "version", "--client")
  ? ["kubectl", "kustomize"]
  : await found("kustomize", "version")
  ? ["kustomize", "build"]
  : undefined;
if (build !== undefined) {
  const folders = files.filter((path) => path.endsWith("/kustomization.yaml"))
    .map((path) => dirname(path));
  // The folder with the transformer contains no resources.
  for (const folder of folders.filter((path) => !path.endsWith("/shards"))) {
    const { code, text } = await output(...build, folder);
    check(`${build.join(" ")} ${folder}`, code === 0, text);
    if (code === 0) checkShards(folder, text);
  }
}
const parser = await import(HCL_PARSER).catch(() => console.log(`cannot load ${HCL_PARSER}`));
if (parser !== undefined) {
  for (const path of files.filter((path) => path.endsWith(".hcl"))) {
    const [parsed] = parser.default.parseToObject(Deno.readTextFileSync(ROOT + path));
    const groups = Object.keys(parsed?.job?.rehearse?.[0].group ?? {}).sort();
    check(`${path} is HCL with both groups`, groups.join() === "joiners,leader", groups.join());
  }
}
console.log(`deploy check: ${passed} passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);

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
  check(
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

async function found(program: string, ...args: string[]): Promise<boolean> {
  const isFound = await output(program, ...args).then(({ code }) => code === 0, () => false);
  if (!isFound) console.log(`${program} is not installed`);
  return isFound;
}

async function output(...[program, ...args]: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args, cwd: ROOT }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, text: text(stdout) + (code === 0 ? "" : text(stderr)) };
}

function check(name: string, isPassed: boolean, details: string): void {
  if (isPassed) passed++;
  else failed++;
  if (!isPassed) console.log(`FAILED: ${name}\n${details}`);
}
