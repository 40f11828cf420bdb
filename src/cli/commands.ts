import type { Command } from "./command/command.ts";

/**
 * Functions that load the commands, keyed by command name, in the order of the list in help. A
 * command is loaded only when it is used, so that the tool starts quickly.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  convert: async () => (await import("./commands/convert.ts")).convertCommand,
  validate: async () => (await import("./commands/validate.ts")).validateCommand,
  inspect: async () => (await import("./commands/inspect.ts")).inspectCommand,
  diff: async () => (await import("./commands/diff.ts")).diffCommand,
  verify: async () => (await import("./commands/verify.ts")).verifyCommand,
  calibrate: async () => (await import("./commands/calibrate.ts")).calibrateCommand,
  run: async () => (await import("./commands/run.ts")).runCommand,
  join: async () => (await import("./commands/join.ts")).joinCommand,
  merge: async () => (await import("./commands/merge.ts")).mergeCommand,
  report: async () => (await import("./commands/report.ts")).reportCommand,
  demo: async () => (await import("./commands/demo.ts")).demoCommand,
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  schema: async () => (await import("./commands/schema.ts")).schemaCommand,
  completions: async () =>
    (await import("./commands/completions.ts")).completionsCommand(loadCommands),
  version: async () => (await import("./commands/version.ts")).versionCommand,
};

/** Loads all commands. */
export async function loadCommands(): Promise<Command[]> {
  return await Promise.all(Object.values(COMMANDS).map((load) => load()));
}
