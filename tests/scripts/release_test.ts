import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { WORKERS } from "../../scripts/binary.ts";
import config from "../../deno.json" with { type: "json" };

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const NAME = `rehearse-${config.version}`;
const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc.exe",
];

/**
 * Calls `use` with a folder that contains the files of a release, with scripts instead of binaries,
 * and their checksums.
 */
async function inRelease(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const target of TARGETS) {
      const bytes = new TextEncoder().encode(`#!/bin/sh\necho for ${target}\n`);
      const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      await Deno.writeFile(`${folder}/${NAME}-${target}`, bytes);
      await Deno.writeTextFile(
        `${folder}/${NAME}-${target}.sha256`,
        `${sum}  ${NAME}-${target}\n`,
      );
    }
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function install(folder: string) {
  const { code, stderr } = await new Deno.Command("sh", {
    args: [`${ROOT}install.sh`, config.version],
    env: { REHEARSE_URL: `file://${folder}`, REHEARSE_BIN: `${folder}/bin` },
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

const UNIX = { ignore: Deno.build.os === "windows" };

Deno.test(
  "install.sh installs the binary if its checksum matches",
  UNIX,
  () =>
    inRelease(async (folder) => {
      const { code, stderr } = await install(folder);
      assertEquals(code, 0, stderr);
      const { stdout } = await new Deno.Command(`${folder}/bin/rehearse`).output();
      assertEquals(new TextDecoder().decode(stdout), `for ${Deno.build.target}\n`);
    }),
);

Deno.test(
  "install.sh rejects a binary with a wrong checksum",
  UNIX,
  () =>
    inRelease(async (folder) => {
      for (const target of TARGETS) {
        await Deno.writeTextFile(`${folder}/${NAME}-${target}`, "evil", { append: true });
      }
      const { code, stderr } = await install(folder);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "does not match its checksum; nothing was installed");
      assertEquals([...Deno.readDirSync(folder)].some(({ name }) => name === "bin"), false);
    }),
);

Deno.test(
  "install.sh rejects a checksum file that names a different file",
  UNIX,
  () =>
    inRelease(async (folder) => {
      const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array())).toHex();
      for (const target of TARGETS) {
        await Deno.writeTextFile(`${folder}/${NAME}-${target}.sha256`, `${sum}  /dev/null\n`);
      }
      const { code, stderr } = await install(folder);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "does not match its checksum; nothing was installed");
    }),
);

Deno.test("the install scripts have the same version as deno.json", () => {
  for (const name of ["install.sh", "install.ps1"]) {
    assertStringIncludes(Deno.readTextFileSync(ROOT + name), config.version, name);
  }
});

Deno.test("the Homebrew and Scoop manifests have the URL and checksum of each binary", () =>
  inRelease(async (folder) => {
    await script("manifests.ts", "somebody/rehearse", folder);
    const formula = await Deno.readTextFile(`${folder}/rehearse.rb`);
    const scoop = await Deno.readTextFile(`${folder}/rehearse.json`);
    for (const target of TARGETS) {
      const sum = (await Deno.readTextFile(`${folder}/${NAME}-${target}.sha256`)).split(" ")[0];
      const manifest = target.includes("windows") ? scoop : formula;
      assertStringIncludes(manifest, `/releases/download/v${config.version}/${NAME}-${target}`);
      assertStringIncludes(manifest, sum);
    }
    assertEquals(JSON.parse(scoop).bin, "rehearse.exe");
  }));

Deno.test("the compiled binary includes the module of every worker", async () => {
  const threads: string[] = [];
  for await (const path of modules(`${ROOT}src`)) {
    const text = await Deno.readTextFile(path);
    for (const [, module] of text.matchAll(/new URL\("(\S+?)", import\.meta\.url\)/g)) {
      threads.push(join(dirname(path), module).slice(ROOT.length).replaceAll("\\", "/"));
    }
  }
  assertEquals([...new Set(threads)].sort(), [...WORKERS].sort());
});

Deno.test("the bill of materials lists every npm package in deno.json", async () => {
  const { components } = JSON.parse(await script("sbom.ts"));
  const names = new Set(components.map(({ name }: { name: string }) => name));
  const packages = Object.values(config.imports).filter((path) => path.startsWith("npm:"));
  for (const specifier of [...packages, "npm:fast-check@"]) {
    const name = /^npm:(@?[^@]+)@/.exec(specifier)![1];
    assert(names.has(name), name);
  }
  for (const { hashes } of components) assertEquals(hashes[0].content.length, 128);
});

async function* modules(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* modules(join(folder, name));
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
