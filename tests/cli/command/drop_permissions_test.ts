import { assertEquals } from "@std/assert";
import { loadCommands } from "../../../src/cli/commands.ts";
import { readArgs } from "../../../src/cli/command/args.ts";
import { dropPermissions } from "../../../src/cli/command/drop_permissions.ts";
import { inDocsFolder } from "../../support/docs_folder.ts";
import { runProcess } from "../../support/cli.ts";

const PRELOAD = `--preload=${new URL("../../support/as_binary.ts", import.meta.url).pathname}`;

const KEPT: Readonly<Record<string, string>> = {
  "convert access.log": "read",
  "convert access.log -o out.yaml": "read write",
  "convert session.har": "read",
  "validate plan.yaml": "read",
  "verify plan.yaml --har session.har": "read",
  "run plan.yaml --duration 1ms --base-url http://127.0.0.1:9": "read net env",
  "run outputs.yaml --duration 1ms --base-url http://127.0.0.1:9": "read write net env",
  "merge summary.json": "read",
  "report summary.json": "read",
  "report before.json after.json -o out.html": "read write",
  "schema": "",
  "version": "",
};

for (const [line, kept] of Object.entries(KEPT)) {
  Deno.test(`the compiled binary keeps only [${kept}]: rehearse ${line}`, async () => {
    await inDocsFolder(async (cwd) => {
      const plan = await Deno.readTextFile(`${cwd}/plan.yaml`);
      await Deno.writeTextFile(
        `${cwd}/outputs.yaml`,
        `${plan}outputs: [{type: csv, path: samples.csv}]\n`,
      );
      const { stderr } = await runProcess(["-A", PRELOAD], line.split(" "), { cwd });
      assertEquals(/^kept: (.*)$/m.exec(stderr)?.[1], kept, stderr);
    });
  });
}

Deno.test("keeps write access for every option whose help says that it writes a file", async () => {
  for (const { name, flags } of await loadCommands()) {
    for (
      const flag of flags.filter((f) => f.value === "FILE" && /^(Also w|W)rite /.test(f.help))
    ) {
      const args = readArgs([`--${flag.name}`, "x"], flags);
      assertEquals(revokedBy(name, args).includes("write"), false, `${name} --${flag.name}`);
    }
  }
});

function revokedBy(...call: Parameters<typeof dropPermissions>): string[] {
  const { revokeSync } = Deno.permissions;
  const names: string[] = [];
  Deno.permissions.revokeSync = ({ name }) => {
    names.push(name);
    return new EventTarget() as Deno.PermissionStatus;
  };
  try {
    dropPermissions(...call);
  } finally {
    Deno.permissions.revokeSync = revokeSync;
  }
  return names;
}
