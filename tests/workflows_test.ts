import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { binaryName, TARGETS } from "../scripts/binary.ts";
import { TempFolder } from "./support/temp_folder.ts";

interface Step {
  readonly run?: string;
  readonly with?: { readonly push?: boolean };
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly steps?: readonly Step[];
  readonly strategy?: { readonly matrix: { readonly include: readonly { target: string }[] } };
}

const ROOT = new URL("../", import.meta.url);

function jobs(workflow: string): Readonly<Record<string, Job>> {
  const text = Deno.readTextFileSync(new URL(`.github/workflows/${workflow}`, ROOT));
  return (parse(text) as { jobs: Record<string, Job> }).jobs;
}

function commands({ steps = [] }: Job): string[] {
  return steps.flatMap(({ run }) => run ?? []);
}

Deno.test("CI runs `.ci/run`, and on Linux no check that `.ci/run` contains", () => {
  const { systems: _, ...linux } = jobs("ci.yml");
  const all = Object.values(linux).flatMap(commands);
  assert(all.some((command) => command.endsWith(" .ci/run")));
  const script = Deno.readTextFileSync(new URL(".ci/run", ROOT));
  const tasks = all.flatMap((command) => /deno task \w+|scripts\/\S+/.exec(command)?.[0] ?? [])
    .filter((task) => task !== "deno task build");
  assertEquals(tasks.length, 3);
  assertEquals(tasks.filter((task) => script.includes(task)), []);
});

Deno.test("a release tries the binary for each platform", () => {
  const { matrix: { include } } = jobs("release.yml").try.strategy!;
  assertEquals(
    include.map(({ target }) => `rehearse-1.0.0-${target}`),
    TARGETS.map((target) => binaryName("1.0.0", target)),
  );
});

Deno.test("a release publishes nothing before all checks passed, and makes the release public last", () => {
  const all = jobs("release.yml");
  /** Returns the jobs that must succeed before a job starts. */
  const before = (name: string): Set<string> => {
    const needs = [all[name].needs ?? []].flat();
    return new Set([...needs, ...needs.flatMap((need) => [...before(need)])]);
  };
  const publishing = Object.keys(all).filter((name) =>
    (all[name].steps ?? []).some(({ run, with: options }) =>
      /\bpublish\b|--draft=false/.test(run ?? "") || options?.push === true
    )
  );
  assertEquals(publishing, ["jsr", "npm", "image", "publish"]);
  for (const name of publishing) {
    for (const check of ["ci", "jsr-imports", "build", "try", "draft"]) {
      assert(before(name).has(check), `${name} does not wait for ${check}`);
    }
  }
  assertEquals(
    [...before("publish")].sort(),
    Object.keys(all).filter((n) => n !== "publish").sort(),
  );
});

/**
 * Runs the last step of a job of the release in bash, with the shell script `program` in place of
 * each program in `names`. Returns the commands that the step ran, without those that only read.
 */
async function publish(job: string, names: readonly string[], program: string): Promise<string[]> {
  using temp = new TempFolder();
  const folder = temp.path;
  await Deno.mkdir(`${folder}/npm`);
  await Deno.mkdir(`${folder}/programs`);
  await Deno.writeTextFile(`${folder}/npm/package.json`, `{"name": "@a/b", "version": "1.0.0"}`);
  for (const name of names) {
    const script =
      `#!/bin/sh\ncommand="${name} $*"\n${program}\necho "$command" >> ${folder}/log\n`;
    await Deno.writeTextFile(`${folder}/programs/${name}`, script, { mode: 0o755 });
  }
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["-e", "-c", commands(jobs("release.yml")[job]).at(-1)!],
    cwd: folder,
    env: { PATH: `${folder}/programs:${Deno.env.get("PATH")}`, GITHUB_REF_NAME: "v1.0.0" },
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  const log = await Deno.readTextFile(`${folder}/log`);
  return log.trimEnd().split("\n").filter((line) => !line.includes(" view "));
}

Deno.test("a release that is repeated replaces the files of a draft, but not those of a public release", async () => {
  const gh = (exists: boolean, isDraft: boolean) =>
    `case $command in
      *" --jq "*) echo ${isDraft};;
      *" view "*) ${exists};;
    esac || exit 1`;
  const create = "gh release create v1.0.0 --draft --verify-tag --generate-notes";
  const upload = "gh release upload v1.0.0 --clobber release/*";
  assertEquals(await publish("draft", ["gh"], gh(false, true)), [create, upload]);
  assertEquals(await publish("draft", ["gh"], gh(true, true)), [upload]);
  assertEquals(await publish("draft", ["gh"], gh(true, false)), []);
});

Deno.test("a release that is repeated skips npm only if npm has the same version", async () => {
  const npm = (result: string) => `case $command in *" view @a/b@1.0.0 version") ${result};; esac`;
  const published = ["npx -y npm@11.6.2 publish --provenance ./npm"];
  assertEquals(await publish("npm", ["npm", "npx"], npm("echo 1.0.0")), []);
  // npm knows other versions, or does not know the package.
  assertEquals(await publish("npm", ["npm", "npx"], npm("true")), published);
  assertEquals(await publish("npm", ["npm", "npx"], npm("exit 1")), published);
});
