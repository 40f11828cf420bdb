import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { startDemo } from "../src/demo/server.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));
const FENCE = /^```sh( no-test)?\n(.*?)^```$/gms;

const LOG = [0, 0, 1, 1, 2].map((second, i) =>
  `10.0.0.${i} - - [21/Nov/2026:10:00:0${second} +0000] "GET /products/${i} HTTP/1.1" 200 99\n`
).join("");

for (const [index, block] of blocks(Deno.readTextFileSync(join(ROOT, "README.md"))).entries()) {
  Deno.test(`README commands ${index + 1}: ${block.split("\n")[0]}`, async () => {
    const demo = await startDemo({ port: 0, catchAll: true });
    const folder = await Deno.makeTempDir();
    try {
      await furnish(folder);
      const { code, stderr } = await new Deno.Command("bash", {
        args: ["-euo", "pipefail", "-c", block.replaceAll("http://127.0.0.1:8080", demo.origin)],
        cwd: folder,
        env: { PATH: `${folder}/bin:${Deno.env.get("PATH")}`, NO_COLOR: "1" },
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
    } finally {
      await demo.stop();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("README leaves no command untested but those that install or run everything", () => {
  const left = [...Deno.readTextFileSync(join(ROOT, "README.md")).matchAll(FENCE)]
    .filter(([, untested]) => untested).flatMap(([, , text]) => text.trim().split("\n"));
  assert(
    left.every((line) => /^(npx -y deno@2\.9\.6 task|deno install)/.test(line)),
    left.join("\n"),
  );
});

function blocks(readme: string): string[] {
  return [...readme.matchAll(FENCE)].filter(([, untested]) => !untested).map(([, , text]) =>
    text.trim()
  );
}

/** A checkout with everything that the README takes to be at hand. */
async function furnish(folder: string): Promise<void> {
  for (const name of ["main.ts", "src", "deno.json", "deno.lock"]) {
    await Deno.symlink(join(ROOT, name), join(folder, name));
  }
  await Deno.mkdir(join(folder, "bin"));
  await script(join(folder, "bin/deno"), `exec '${Deno.execPath()}' "$@"`);
  await script(
    join(folder, "bin/rehearse"),
    `exec '${Deno.execPath()}' run -A --frozen '${ROOT}main.ts' "$@"`,
  );
  for (const name of ["access.log", "access.log.1", "web1.log", "web2.log"]) {
    await Deno.writeTextFile(join(folder, name), LOG);
  }
  const zipped = new Blob([LOG]).stream().pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(join(folder, "access.log.2.gz"), zipped);
  await Deno.copyFile(join(ROOT, "testdata/har/demo_shop.har"), join(folder, "session.har"));
  await Deno.copyFile(join(ROOT, "testdata/plans/quick.yaml"), join(folder, "plan.yaml"));
}

async function script(path: string, line: string): Promise<void> {
  await Deno.writeTextFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}
