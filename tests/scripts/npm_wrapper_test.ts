import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TempFolder } from "../support/temp_folder.ts";

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
