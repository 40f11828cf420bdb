import type { Command } from "./command.ts";

/** Every command by name, in the order of help. Each loads only when it is called: start-up stays short. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  convert: async () => (await import("./commands/convert.ts")).convert,
  validate: async () => (await import("./commands/validate.ts")).validate,
  verify: async () => (await import("./commands/verify.ts")).verify,
  run: async () => (await import("./commands/run.ts")).run,
  merge: async () => (await import("./commands/merge.ts")).merge,
  report: async () => (await import("./commands/report.ts")).report,
  demo: async () => (await import("./commands/demo.ts")).demo,
  serve: async () => (await import("./commands/serve.ts")).serve,
  schema: async () => (await import("./commands/schema.ts")).schema,
  completions: async () => (await import("./commands/completions.ts")).completionsOf(loadCommands),
  version: async () => (await import("./commands/version.ts")).version,
};

/** Every command, loaded. */
export async function loadCommands(): Promise<Command[]> {
  return await Promise.all(Object.values(COMMANDS).map((load) => load()));
}
