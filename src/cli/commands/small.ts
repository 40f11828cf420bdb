import { planJsonSchema } from "../../plan/schema/json_schema.ts";
import type { Command } from "../command/command.ts";
import { command } from "../command/options.ts";
import { VERSION } from "../../base/release.ts";

/** The `rehearse schema` command. */
export const schemaCommand: Command = command({
  name: "schema",
  usage: "",
  about: [
    "Editors use the schema to complete and check plans. It covers every key, but only " +
    "`validate` also checks references, thresholds and files.",
    "The first line of a plan that `convert` writes contains the URL of the schema. To work without " +
    "network access, save the schema and put its path into that line.",
  ],
  options: {},
  needs: [],
  examples: [{
    command: "rehearse schema > plan.schema.json",
    does:
      "Save the schema; in a plan next to it, write `# yaml-language-server: $schema=plan.schema.json`.",
  }],
  run: (_given, io) => {
    io.stdout.write(JSON.stringify(planJsonSchema(), null, 2) + "\n");
    return Promise.resolve(0);
  },
});

/** The `rehearse version` command. */
export const versionCommand: Command = command({
  name: "version",
  usage: "",
  about: [],
  options: {},
  needs: [],
  examples: [{
    command: "rehearse version",
    does: "Print the versions to include in a bug report.",
  }],
  run(_given, io) {
    const { deno, v8 } = Deno.version;
    const { os, arch } = Deno.build;
    io.stdout.write(`rehearse ${VERSION} (deno ${deno}, v8 ${v8}, ${os} ${arch})\n`);
    return Promise.resolve(0);
  },
});
