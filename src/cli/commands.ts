import type { Command, ListedCommand } from "./command/command.ts";

/** A command in the list of commands. */
export interface CommandEntry {
  /** One-line description. */
  readonly summary: string;
  /** Loads the command. Called only when the command is needed, so that the tool starts quickly. */
  readonly load: () => Promise<Command>;
}

/** All commands by name, in the order in which help lists them. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary:
      "Ask for the recording, the target, the duration and the pass criteria, and write a first plan",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  convert: {
    summary: "Convert an access log or a browser recording into a load-test plan",
    load: async () => (await import("./commands/convert.ts")).convertCommand,
  },
  validate: {
    summary: "Check plans and report every error",
    load: async () => (await import("./commands/validate.ts")).validateCommand,
  },
  inspect: {
    summary: "Show what a run of a plan would send: requests, rates, duration, files",
    load: async () => (await import("./commands/inspect.ts")).inspectCommand,
  },
  diff: {
    summary: "Show how two plans differ in meaning",
    load: async () => (await import("./commands/diff.ts")).diffCommand,
  },
  export: {
    summary: "Write a plan as a script for another load generator (k6)",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  verify: {
    summary: "Check a plan against its recording, or a run against its log",
    load: async () => (await import("./commands/verify.ts")).verifyCommand,
  },
  calibrate: {
    summary: "Repair a plan by running it against the live application",
    load: async () => (await import("./commands/calibrate.ts")).calibrateCommand,
  },
  run: {
    summary: "Run a plan, or load one URL, and report the results",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  join: {
    summary: "Run one shard of a distributed test led by `run --fleet`",
    load: async () => (await import("./commands/join.ts")).joinCommand,
  },
  merge: {
    summary: "Merge the summaries of a run's shards and evaluate its thresholds",
    load: async () => (await import("./commands/merge.ts")).mergeCommand,
  },
  report: {
    summary: "Write an HTML report of a run, or compare runs",
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  demo: {
    summary: "Serve a demo shop on this machine, or write a log and a HAR of it",
    load: async () => (await import("./commands/demo.ts")).demoCommand,
  },
  serve: {
    summary: "Serve a recording as a mock server on this machine",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  schema: {
    summary: "Print the JSON Schema of plans",
    load: async () => (await import("./commands/schema.ts")).schemaCommand,
  },
  completions: {
    summary: "Print the completion script for a shell",
    load: async () =>
      (await import("./commands/completions.ts")).completionsCommand(COMMANDS, loadCommand),
  },
  version: {
    summary: "Show the versions of rehearse, Deno and V8, and the platform",
    load: async () => (await import("./commands/version.ts")).versionCommand,
  },
};

/** Loads a command by its name in `COMMANDS`. */
export async function loadCommand(name: string): Promise<ListedCommand> {
  const { summary, load } = COMMANDS[name];
  return { ...await load(), summary };
}

/** Loads all commands. */
export async function loadCommands(): Promise<ListedCommand[]> {
  return await Promise.all(Object.keys(COMMANDS).map(loadCommand));
}
