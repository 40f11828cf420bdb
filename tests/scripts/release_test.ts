import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import fc from "fast-check";
import { nibbleTables } from "../../scripts/assembly_tables.ts";
import {
  BINARY_FLAGS,
  binaryName,
  compileTarget,
  MUSL_TARGETS,
  TARGETS,
} from "../../scripts/binary.ts";
import { mergeChunks } from "../../scripts/merge_chunks.ts";
import { judge } from "../../scripts/replay/judge.ts";
import { makeVisits } from "../../scripts/replay/make_visits.ts";
import { convert, receive } from "../../scripts/replay/replay.ts";
import { PLAN_SCHEMA_URL, REPOSITORY } from "../../src/base/release.ts";
import { TempFolder } from "../support/temp_folder.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const NAMES = [...TARGETS, ...MUSL_TARGETS].map((target) => binaryName(config.version, target));

/**
 * Calls `use` with a folder that contains a release: scripts in place of the binaries, and
 * checksums.
 */
async function inRelease(use: (folder: string) => Promise<void>): Promise<void> {
  using temp = new TempFolder();
  const folder = temp.path;
  for (const name of NAMES) {
    const bytes = new TextEncoder().encode(`#!/bin/sh\necho ${name}\n`);
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    await Deno.writeFile(`${folder}/${name}`, bytes);
    await Deno.writeTextFile(`${folder}/${name}.sha256`, `${sum}  ${name}\n`);
  }
  await use(folder);
}

/** Runs `install.sh`. `programs` contains shell scripts, keyed by the program that they replace. */
async function install(
  folder: string,
  { env = { REHEARSE_URL: `file://${folder}` }, programs = {}, args = [] }: {
    readonly env?: Record<string, string>;
    readonly programs?: Readonly<Record<string, string>>;
    readonly args?: readonly string[];
  } = {},
) {
  await Deno.mkdir(`${folder}/programs`, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    await Deno.writeTextFile(`${folder}/programs/${name}`, `#!/bin/sh\n${script}\n`, {
      mode: 0o755,
    });
  }
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: [`${ROOT}install.sh`, ...args],
    env: {
      HOME: folder,
      PATH: `${folder}/programs:${Deno.env.get("PATH")}`,
      REHEARSE_BIN: `${folder}/bin`,
      ...env,
    },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Returns a replacement for `curl` that copies the files of a release and prints their URLs. */
const fakeCurl = (folder: string) =>
  `for url; do :; done; echo "$url"; cp "${folder}/\${url##*/}" "$3"`;
/** Replacement for `ldd` that behaves as on Alpine Linux. */
const MUSL_LDD = 'echo "musl libc (x86_64)" >&2; exit 1';

const UNIX = { ignore: Deno.build.os === "windows" };

Deno.test(
  "install.sh installs the binary if its checksum matches",
  UNIX,
  () =>
    inRelease(async (folder) => {
      const { code, stderr } = await install(folder);
      assertEquals(code, 0, stderr);
      const { stdout } = await new Deno.Command(`${folder}/bin/rehearse`).output();
      const name = binaryName(config.version, Deno.build.target);
      assertEquals(new TextDecoder().decode(stdout), `${name}\n`);
    }),
);

Deno.test(
  "install.sh rejects a binary with a wrong checksum",
  UNIX,
  () =>
    inRelease(async (folder) => {
      for (const name of NAMES) {
        await Deno.writeTextFile(`${folder}/${name}`, "evil", { append: true });
      }
      const { code, stderr } = await install(folder);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "does not match its checksum; nothing was installed");
      assertEquals([...Deno.readDirSync(folder)].some(({ name }) => name === "bin"), false);
    }),
);

Deno.test(
  "install.sh rejects a checksum file that lists a different file",
  UNIX,
  () =>
    inRelease(async (folder) => {
      const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array())).toHex();
      for (const name of NAMES) {
        await Deno.writeTextFile(`${folder}/${name}.sha256`, `${sum}  /dev/null\n`);
      }
      const { code, stderr } = await install(folder);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "does not match its checksum; nothing was installed");
    }),
);

Deno.test(
  "without variables, install.sh installs this version from the repository in deno.json",
  UNIX,
  () =>
    inRelease(async (folder) => {
      const programs = { curl: fakeCurl(folder) };
      const { code, stdout, stderr } = await install(folder, { env: {}, programs });
      assertEquals(code, 0, stderr);
      const name = binaryName(config.version, Deno.build.target);
      const from = `${REPOSITORY}/releases/download/v${config.version}`;
      assertEquals(stdout.split("\n").slice(0, 2), [`${from}/${name}`, `${from}/${name}.sha256`]);
      const other = await install(folder, {
        env: { REHEARSE_REPOSITORY: "someone/fork" },
        programs,
        args: ["v9.9.9"],
      });
      assertEquals(other.code, 1);
      assertStringIncludes(
        other.stderr,
        "cannot download https://github.com/someone/fork/releases/download/v9.9.9/rehearse-9.9.9-",
      );
    }),
);

Deno.test(
  "install.sh installs the binary for musl, or suggests Deno if the release has no such binary",
  { ignore: Deno.build.os !== "linux" },
  () =>
    inRelease(async (folder) => {
      const musl = Deno.build.target.replace(/-gnu$/, "-musl");
      const name = binaryName(config.version, musl);
      const { code, stderr } = await install(folder, { programs: { ldd: MUSL_LDD } });
      assertEquals(code, 0, stderr);
      const { stdout } = await new Deno.Command(`${folder}/bin/rehearse`).output();
      assertEquals(new TextDecoder().decode(stdout), `${name}\n`);
      await Deno.remove(`${folder}/${name}`);
      const absent = await install(folder, { programs: { ldd: MUSL_LDD } });
      assertEquals(absent.code, 1);
      assertStringIncludes(
        absent.stderr,
        `rehearse with: deno install -g -A -n rehearse jsr:${config.name}@${config.version}`,
      );
    }),
);

Deno.test("scripts, docs and CI files contain the version, name and repository from deno.json", () => {
  const text = (path: string) => Deno.readTextFileSync(ROOT + path);
  const slug = new URL(REPOSITORY).pathname.slice(1);
  const { version, name } = config;
  for (const line of [`repository=${slug}`, `version=${version}`, `package=jsr:${name}`]) {
    assertStringIncludes(text("install.sh"), `\n${line}\n`);
  }
  for (const part of [`$Version = "${version}"`, `$Repository = "${slug}"`]) {
    assertStringIncludes(text("install.ps1"), part);
  }
  const pinned = text("docs/ci.md") + text("docs/github-action.yml") +
    text("deploy/gitlab/load-test.yml") + text("deploy/github/run.sh");
  const versions = pinned.matchAll(/(?:rehearse@v|rehearse\/v|cli@)(\d+\.\d+\.\d+)/g);
  assertEquals([...new Set(Array.from(versions, ([, found]) => found))], [version]);
  assertStringIncludes(text("deploy/gitlab/load-test.yml"), `REHEARSE: jsr:${name}@${version}\n`);
  const deno = Deno.version.deno;
  assertStringIncludes(text("action.yml"), `deno-version: ${deno} `);
  assertStringIncludes(text("deploy/gitlab/load-test.yml"), `image: denoland/deno:${deno}\n`);
  assertStringIncludes(text("docs/plans.md"), `$schema=${PLAN_SCHEMA_URL}\n`);
});

Deno.test("all URLs of the repository in docs, code and deployment files have the same owner", async () => {
  const { pathname } = new URL(REPOSITORY);
  const others: string[] = [];
  let own = 0;
  for await (const path of files(ROOT, /^(?:\.git|node_modules|dist|coverage|testdata)$/)) {
    if (!/\.(?:md|ts|json|ya?ml|sh|ps1|hcl|sbatch)$|Dockerfile$/.test(path)) continue;
    const text = await Deno.readTextFile(path);
    for (
      const [url, at] of text.matchAll(/\bgithub(?:usercontent)?\.com(\/[\w.-]+\/rehearse)\b/g)
    ) {
      if (at === pathname) own++;
      else others.push(`${path}: ${url}`);
    }
  }
  assertEquals(others, []);
  assert(own > 0);
});

Deno.test("the id of each schema is its URL for this version, and the catalog entry points to it", () => {
  const json = (name: string) => JSON.parse(Deno.readTextFileSync(`${ROOT}docs/${name}`));
  const folder = `https://raw.githubusercontent.com${new URL(REPOSITORY).pathname}`;
  const id = `${folder}/v${config.version}/docs/plan.schema.json`;
  assertEquals([PLAN_SCHEMA_URL, json("plan.schema.json").$id], [id, id]);
  assertEquals(json("summary.schema.json").$id, id.replace("plan.", "summary."));
  const { fileMatch, url, versions } = json("schemastore.json");
  assertEquals([url, versions], [`${folder}/main/docs/plan.schema.json`, { [config.version]: id }]);
  assert(fileMatch.includes("*.rehearse.yaml"));
});

Deno.test("each binary is compiled for a platform that `deno compile` supports", () => {
  assertEquals([...TARGETS, ...MUSL_TARGETS].map(compileTarget), [
    ...TARGETS,
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
  ]);
});

Deno.test("the Homebrew and Scoop manifests have the URL and checksum of each binary", () =>
  inRelease(async (folder) => {
    await script("manifests.ts", folder);
    const formula = await Deno.readTextFile(`${folder}/rehearse.rb`);
    const scoop = await Deno.readTextFile(`${folder}/rehearse.json`);
    for (const target of TARGETS) {
      const name = binaryName(config.version, target);
      const sum = (await Deno.readTextFile(`${folder}/${name}.sha256`)).split(" ")[0];
      const manifest = target.includes("windows") ? scoop : formula;
      assertStringIncludes(manifest, `${REPOSITORY}/releases/download/v${config.version}/${name}`);
      assertStringIncludes(manifest, sum);
    }
    assertEquals(JSON.parse(scoop).bin, "rehearse.exe");
  }));

async function* files(folder: string, skipped = /^$/): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (skipped.test(name)) continue;
    if (isDirectory) yield* files(join(folder, name), skipped);
    else yield join(folder, name);
  }
}

async function script(name: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "-P=scripts", `scripts/release/${name}`, ...args],
    cwd: ROOT,
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("the V8 flags of the compiled binary limit the young generation", async () => {
  const script = `
    import v8 from "node:v8";
    const kept = [];
    let most = 0;
    for (let i = 0; i < 1_000_000; i++) {
      kept.push({ i });
      if (i % 50_000 > 0) continue;
      const space = v8.getHeapSpaceStatistics().find((one) => one.space_name === "new_space");
      most = Math.max(most, space.space_size);
    }
    console.log(most);`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", ...BINARY_FLAGS, script],
  }).output();
  const most = Number(new TextDecoder().decode(stdout));
  // Two halves of 8 MiB, and some pages. Without the flag, the halves grow to 32 MiB.
  assert(most > 0 && most < 20 * 2 ** 20, `${most} bytes`);
});

/** Two commands that share a large and a small file, and a third that shares the large one only. */
function bundle(): Map<string, string> {
  return new Map([
    ["main.js", 'import("./a.js");import("./b.js");import("./c.js");'],
    ["main.js.map", "{}"],
    ["a.js", 'import{x}from"./large.js";import"./small.js";'],
    ["b.js", 'import{x}from"./large.js";import"./small.js";'],
    ["c.js", 'import{x}from"./large.js";\n//# sourceMappingURL=c.js.map'],
    ["large.js", `export{x};${"1;".repeat(100)}`],
    ["small.js", 'import"./smaller.js";'],
    ["smaller.js", "1;"],
  ]);
}

Deno.test("mergeChunks makes a command load the smallest file that it does not need", () => {
  const files = bundle();
  mergeChunks(files, 5);
  const added = 'import"./small.js";\nimport"./smaller.js";\n';
  assertEquals(files, bundle().set("c.js", bundle().get("c.js")!.replace("//#", `${added}//#`)));
});

const WRAPPER = new URL("../../scripts/release/npm_wrapper.cjs", import.meta.url);

/** Program that replaces Deno: waits for SIGTERM, prints it and exits with code 3. */
const PROGRAM = `#!/bin/sh
trap 'echo "SIGTERM"; exit 3' TERM
echo ready
while :; do read -r line || exit 9; done
`;
/** Script that delivers SIGTERM to the wrapper just before the wrapper starts the program. */
const EARLY = `const child = require("node:child_process");
const { spawn } = child;
child.spawn = (...args) => {
  process.emit("SIGTERM");
  return spawn(...args);
};
`;

const hasNode = await new Deno.Command("node", { args: ["--version"], stdout: "null" }).output()
  .then(({ success }) => success, () => false);

async function inPackage(act: (folder: string) => Promise<void>): Promise<void> {
  using temp = new TempFolder();
  const folder = temp.path;
  const deno = join(folder, "node_modules", "deno");
  await Deno.mkdir(deno, { recursive: true });
  await Deno.writeTextFile(join(deno, "package.json"), "{}");
  await Deno.writeTextFile(join(deno, "deno"), PROGRAM, { mode: 0o755 });
  await Deno.writeTextFile(join(folder, "package.json"), '{"deno": {"flags": []}}');
  await Deno.writeTextFile(join(folder, "early.cjs"), EARLY);
  await Deno.copyFile(WRAPPER, join(folder, "rehearse.cjs"));
  await act(folder);
}

Deno.test({
  name: "the npm command forwards SIGTERM and exits with the code of rehearse",
  ignore: !hasNode || Deno.build.os === "windows",
  fn: () =>
    inPackage(async (folder) => {
      const child = new Deno.Command("node", {
        args: [join(folder, "rehearse.cjs")],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      assertEquals((await reader.read()).value, "ready\n");
      child.kill("SIGTERM");
      // Some shells handle the signal at once, others after they have read a line.
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode("\n")).catch(() => {});
      assertEquals((await reader.read()).value, "SIGTERM\n");
      assertEquals((await child.status).code, 3);
      await reader.cancel();
      await writer.close().catch(() => {});
    }),
});

Deno.test({
  name: "the npm command exits on a SIGTERM that arrives before it has started rehearse",
  ignore: !hasNode || Deno.build.os === "windows",
  fn: () =>
    inPackage(async (folder) => {
      const { code, stdout } = await new Deno.Command("node", {
        args: ["--require", join(folder, "early.cjs"), join(folder, "rehearse.cjs")],
        stdin: "null",
      }).output();
      assertEquals([code, new TextDecoder().decode(stdout)], [143, ""]);
    }),
});

Deno.test("nibbleTables represents any byte set with at most 8 distinct rows (bytes with the same upper nibble)", () => {
  const groups = fc.array(fc.uint8Array({ maxLength: 16 }), { minLength: 1, maxLength: 8 });
  const group = fc.array(fc.nat(7), { minLength: 16, maxLength: 16 });
  fc.assert(fc.property(groups, group, (lower, upper) => {
    const contains = (byte: number) =>
      (lower[upper[byte >> 4]] ?? []).some((value) => (value & 15) === (byte & 15));
    const { low, high } = nibbleTables(contains);
    for (let byte = 0; byte < 256; byte++) {
      assertEquals((low[byte & 15] & high[byte >> 4]) !== 0, contains(byte));
    }
  }));
});

const LOG = makeVisits({ visits: 500, seconds: 300, burst: 0.3, seed: 1 });

/** Lists what the replay of a log does not reach. */
function failures(received: string, sample: number): string[] {
  return judge(LOG, received, sample)
    .filter(({ passes }) => !passes).map(({ name }) => name);
}

async function replay(options: readonly string[]): Promise<string[]> {
  using temp = new TempFolder();
  const folder = temp.path;
  Deno.writeTextFileSync(`${folder}/log`, LOG);
  const converted = await convert(`${folder}/log`, options);
  return failures(await receive(converted), converted.sample);
}

Deno.test("--faithful sends the requests, visits, objects and bursts of a generated log", async () => {
  assertEquals(await replay([]), []);
});

Deno.test("--faithful sends as many visits and as high bursts from a sample of half of the visits", async () => {
  const names = await replay(["--visits-size", "0.1"]);
  // The values of a small sample vary more than those of the log.
  assertEquals(names.filter((name) => !/^(?:distance|same object|peak in 1 s)/.test(name)), []);
});
