import { planJsonSchema } from "../../plan/schema/json_schema.ts";
import type { Command } from "../command.ts";

/** `rehearse schema`. */
export const schemaCommand: Command = {
  name: "schema",
  summary: "Print the JSON Schema of plans",
  usage: "",
  about: [
    "Editors complete and check a plan with it. It knows every key; references, thresholds and " +
    "files are what only `validate` checks.",
  ],
  flags: [],
  examples: [{
    command: "rehearse schema > plan.schema.json",
    does: "then open a plan with `# yaml-language-server: $schema=plan.schema.json`",
  }],
  run: (_args, io) => {
    io.stdout.write(JSON.stringify(planJsonSchema(), null, 2) + "\n");
    return Promise.resolve(0);
  },
};
