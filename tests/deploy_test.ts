import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, globToRegExp, join, relative } from "@std/path";
import { parseAll } from "@std/yaml";
import { binaryName, TARGETS } from "../scripts/binary.ts";
import { readArgs } from "../src/cli/command/args.ts";
import { loadCommands } from "../src/cli/cli.ts";
import config from "../deno.json" with { type: "json" };
import { runCli } from "./support/cli.ts";

const DEPLOY = new URL("../deploy", import.meta.url).pathname;

/** Returns the paths of all files in a folder, relative to it. */
function filesIn(folder: string, inside = folder): string[] {
  return [...Deno.readDirSync(inside)].flatMap(({ name, isDirectory }) => {
    const path = join(inside, name);
    return isDirectory ? filesIn(folder, path) : [relative(folder, path)];
  }).sort();
}

// deno-lint-ignore no-explicit-any
type Yaml = any;

function documents(path: string): Yaml[] {
  return parseAll(Deno.readTextFileSync(join(DEPLOY, path))) as Yaml[];
}

const FILES = filesIn(DEPLOY);
const KUSTOMIZATIONS = FILES.filter((path) => path.endsWith("/kustomization.yaml"));
const RESOURCES = FILES.filter((path) => path.endsWith(".yaml"))
  .flatMap((path) => documents(path).filter(({ kind }) => kind !== undefined));

function job(name: string): Yaml {
  // The overlays also contain patches, which have no restart policy.
  return RESOURCES.find(({ kind, metadata, spec }) =>
    kind === "Job" && metadata.name === name && spec.template.spec.restartPolicy === "Never"
  );
}

/** Replaces references to environment variables, such as `$(NAME)`, as Kubernetes does. */
function expanded(args: readonly string[]): string[] {
  return args.map((arg) => arg.replace(/\$\(\w+\)/g, "4"));
}

async function parseCommand([name, ...args]: readonly string[]): Promise<void> {
  const command = (await loadCommands()).find((command) => command.name === name);
  if (command === undefined) throw new Error(`no command ${name}`);
  readArgs(args, command.flags);
}

Deno.test("deploy: each kustomization refers only to existing files, and uses all files in its folder", () => {
  assertEquals(KUSTOMIZATIONS.length, 7);
  for (const path of KUSTOMIZATIONS) {
    const folder = dirname(path);
    const [kustomization] = documents(path);
    assertEquals(kustomization.kind, "Kustomization", path);
    const { resources = [], transformers = [], patches = [] } = kustomization;
    const files = (kustomization.configMapGenerator ?? [])
      .flatMap(({ files }: { files?: string[] }) => files ?? []);
    const patched = patches.flatMap(({ path }: { path?: string }) => path ?? []);
    const named: string[] = [...resources, ...transformers, ...files, ...patched];
    for (const name of named) Deno.statSync(join(DEPLOY, folder, name));
    const own = FILES.filter((file) => dirname(file) === folder && file !== path);
    assertEquals(own.map((file) => relative(folder, file)).filter((f) => !named.includes(f)), []);
  }
});

Deno.test("deploy: patches refer to resources and paths that exist in the base", () => {
  for (const path of KUSTOMIZATIONS) {
    const [{ patches = [] }] = documents(path);
    for (const { target, patch } of patches as { target: Yaml; patch?: string }[]) {
      if (patch === undefined) continue;
      const resource = job(target.name);
      for (const { op, path: pointer } of parseAll(patch)[0] as { op: string; path: string }[]) {
        const keys = pointer.slice(1).split("/").map((key) => key.replaceAll("~1", "/"));
        const parent = keys.slice(0, -1).reduce((value, key) => value?.[key], resource);
        assert(parent !== undefined, `${path}: ${pointer}`);
        if (op === "replace") assert(parent[keys.at(-1)!] !== undefined, `${path}: ${pointer}`);
      }
    }
  }
});

Deno.test("deploy: all manifests and arguments specify the same number of shards", () => {
  const joiners = job("rehearse-joiners").spec;
  const [leader] = job("rehearse-leader").spec.template.spec.containers;
  const shards = leader.env.find(({ name }: { name: string }) => name === "SHARDS").value;
  assertEquals([joiners.parallelism, Number(shards)], [joiners.completions, joiners.completions]);
  const profile = job("rehearse-log-profile").spec;
  assertEquals(profile.parallelism, profile.completions);
  assert(profile.template.spec.containers[0].args.includes(`--shards=${profile.completions}`));
  assertEquals(job("rehearse-leader").spec.backoffLimit, 0);
});

Deno.test("deploy: the commands accept the arguments of the manifests", async () => {
  const jobs = ["rehearse-leader", "rehearse-joiners", "rehearse-log-profile"].map(job);
  for (const { spec } of jobs) await parseCommand(expanded(spec.template.spec.containers[0].args));
  const added = KUSTOMIZATIONS.flatMap((path) => documents(path)[0].patches ?? [])
    .flatMap(({ patch = "[]" }: { patch?: string }) => parseAll(patch)[0] as Yaml[])
    .filter(({ path }) => path?.endsWith("/args/-")).map(({ value }) => value);
  assertEquals(added.length, 4);
  await parseCommand(["run", ...added]);
  const sbatch = Deno.readTextFileSync(join(DEPLOY, "slurm/rehearse.sbatch"));
  const lines = [...sbatch.matchAll(/rehearse ((?:run|join) .*) &$/gm)].map(([, line]) => line);
  assertEquals(lines.length, 2);
  for (const line of lines) await parseCommand(line.replace(/"\$@"/, "plan.yaml").split(" "));
  const nomad = Deno.readTextFileSync(join(DEPLOY, "nomad/rehearse.nomad.hcl"));
  const lists = [...nomad.matchAll(/args = (\[\s*"(?:run|join)"[^\]]*\])/g)];
  assertEquals(lists.length, 2);
  for (const [, list] of lists) await parseCommand(parseAll(list)[0] as string[]);
});

Deno.test("deploy: containers are unprivileged, and image tags match the version of rehearse", () => {
  for (const { kind, spec } of RESOURCES) {
    const pod = spec?.template?.spec;
    if (pod?.securityContext === undefined) continue;
    assertEquals([kind, pod.securityContext.runAsNonRoot], [kind, true]);
    for (const { securityContext, resources } of pod.containers) {
      assertEquals(securityContext.allowPrivilegeEscalation, false);
      assertEquals(securityContext.capabilities.drop, ["ALL"]);
      assert(resources.requests.cpu !== undefined && resources.limits.memory !== undefined);
    }
  }
  for (const path of KUSTOMIZATIONS) {
    for (const { name, newTag } of documents(path)[0].images ?? []) {
      assertEquals([name, newTag], ["rehearse", config.version], path);
    }
  }
});

Deno.test("deploy: the example plan is valid, and its overlay adds a Prometheus output", async () => {
  const plan = join(DEPLOY, "kubernetes/base/plan.yaml");
  const { code, stdout, stderr } = await runCli(["validate", plan]);
  assertEquals(code, 0, stdout + stderr);
  assertEquals(documents("kubernetes/base/plan.yaml")[0].env.prometheus.outputs.length, 1);
});

Deno.test("deploy: the overlay in the docs overrides images and files that the base defines", () => {
  const text = Deno.readTextFileSync(join(DEPLOY, "../docs/many-machines.md"));
  const [, block] = /^```yaml\n(.*?)^```$/ms.exec(text)!;
  const overlay = parseAll(block)[0] as Yaml;
  const [base] = documents("kubernetes/base/kustomization.yaml");
  assertEquals(overlay.resources, ["../deploy/kubernetes/base"]);
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  assertEquals(names(overlay.images), names(base.images));
  assertEquals(overlay.configMapGenerator[0].files, base.configMapGenerator[0].files);
  assertEquals(overlay.configMapGenerator[0].name, base.configMapGenerator[0].name);
});

Deno.test("deploy: the Dockerfile copies the binaries that the compile script writes", () => {
  const dockerfile = Deno.readTextFileSync(join(DEPLOY, "../Dockerfile"));
  const copied = [...dockerfile.matchAll(/^FROM scratch AS (\w+)\nCOPY release\/(\S+) /gm)];
  assertEquals(copied.map(([, arch]) => arch), ["amd64", "arm64"]);
  const names = TARGETS.flatMap((target) => {
    const name = binaryName(config.version, target);
    return [name, `${name}.sha256`];
  });
  const matches = copied.map(([, , pattern]) =>
    names.filter((name) => globToRegExp(pattern).test(name))
  );
  assertEquals(matches, [
    [binaryName(config.version, "x86_64-unknown-linux-gnu")],
    [binaryName(config.version, "aarch64-unknown-linux-gnu")],
  ]);
  assertMatch(dockerfile, /^COPY --from=binary --chmod=755 /m);
});
