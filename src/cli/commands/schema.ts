import { planJsonSchema } from "../../plan/schema/json_schema.ts";
import type { Command } from "../command/command.ts";

/** The command `rehearse schema`. */
export const schemaCommand: Command = {
  name: "schema",
  usage: "",
  about: [
    "Editors use the schema to complete and check plans. It covers every key, but only " +
    "`validate` also checks references, thresholds and files.",
  ],
  flags: [],
  needs: [],
  examples: [{
    command: "rehearse schema > plan.schema.json",
    does:
      "Save the schema; refer to it in a plan with `# yaml-language-server: $schema=plan.schema.json`.",
  }],
  run: (_args, io) => {
    io.stdout.write(JSON.stringify(planJsonSchema(), null, 2) + "\n");
    return Promise.resolve(0);
  },
};
