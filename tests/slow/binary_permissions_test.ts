import { assert, assertEquals } from "@std/assert";
import { loadCommands } from "../../src/cli/cli.ts";
import { startDemo } from "../../src/demo/server.ts";
import { inDocsFolder } from "../support/docs_folder.ts";
import { runCli, runProcess } from "../support/cli.ts";

const PRELOAD = `--preload=${new URL("../support/as_binary.ts", import.meta.url).pathname}`;

const KEPT: Readonly<Record<string, string>> = {
  "init access.log": "read write",
  "convert access.log": "read",
  "convert access.log -o out.yaml": "read write",
  "convert session.har": "read",
  "validate plan.yaml": "read",
  "verify plan.yaml --har session.har": "read",
  "calibrate session.yaml --har session.har --base-url http://127.0.0.1:9": "read net env",
  "run plan.yaml --duration 1ms --base-url http://127.0.0.1:9": "read net env",
  "run outputs.yaml --duration 1ms --base-url http://127.0.0.1:9": "read write net env",
  "join --fleet nats://127.0.0.1:9/run --join-timeout 10ms": "read net env",
  "merge summary.json": "read",
  "report summary.json": "read",
  "report before.json after.json -o out.html": "read write",
  "report before.json after.json --format github": "read env",
  "inspect plan.yaml": "read",
  "diff plan.yaml session.yaml": "read",
  "export k6 plan.yaml": "read",
  "demo --sample out": "read write net",
  "schema": "",
  "version": "",
};

for (const [line, kept] of Object.entries(KEPT)) {
  Deno.test(`a compiled binary keeps only the permissions [${kept}] for: rehearse ${line}`, async () => {
    await inDocsFolder(async (cwd) => {
      const plan = await Deno.readTextFile(`${cwd}/plan.yaml`);
      await Deno.writeTextFile(
        `${cwd}/outputs.yaml`,
        `${plan}outputs: [{type: csv, path: samples.csv}]\n`,
      );
      await convertSession(cwd);
      const { stderr } = await runProcess(["-A", PRELOAD], line.split(" "), { cwd });
      assertEquals(/^kept: (.*)$/m.exec(stderr)?.[1], kept, stderr);
    });
  });
}

async function convertSession(cwd: string): Promise<void> {
  await runCli(["convert", `${cwd}/session.har`, "-o", `${cwd}/session.yaml`]);
}

Deno.test("a compiled binary can write to the file of every output option", async () => {
  const demo = startDemo({ port: 0, catchAll: true });
  for (const { name, flags } of await loadCommands()) {
    const outputs = flags.filter(({ file }) => file === "write");
    // `join` writes its summary only after it has run a shard of a leader. `demo` writes to a
    // folder.
    if (outputs.length === 0 || name === "join" || name === "demo") continue;
    const line = Object.keys(KEPT).find((line) =>
      line.startsWith(`${name} `) && !line.includes("-o")
    )!;
    await inDocsFolder(async (cwd) => {
      await convertSession(cwd);
      for (const output of outputs) {
        const here = line.replace("http://127.0.0.1:9", demo.origin);
        const args = [...here.split(" "), `--${output.name}`, "written"];
        const { stderr } = await runProcess(["-A", PRELOAD], args, { cwd });
        assert((await Deno.stat(`${cwd}/written`)).isFile, stderr);
        await Deno.remove(`${cwd}/written`);
      }
    });
  }
  await demo.stop();
});
