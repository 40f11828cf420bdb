import { isSwitch, placeholder } from "../command/args.ts";
import type { Command, Flag, ListedCommand } from "../command/command.ts";
import { completionValues, type Values } from "./completion_values.ts";

/**
 * Creates a fish script that completes commands, options and option values, with their
 * descriptions.
 */
export function fishCompletions(commands: readonly ListedCommand[]): string {
  const names = commands.map(({ name, summary }) =>
    `complete -c rehearse -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`
  );
  const help = [
    "complete -c rehearse -n __fish_use_subcommand -f -a help -d 'Show help for a command'",
    `complete -c rehearse -n "__fish_seen_subcommand_from help" -f -a ${
      quoted(commands.map(({ name }) => name).join(" "))
    }`,
  ];
  const rest = commands.flatMap((command) => [
    ...argument(command),
    ...command.flags.map((flag) => option(command.name, flag)),
  ]);
  return [...names, ...help, ...rest].join("\n") + "\n";
}

function argument({ name, takes, first }: Command): string[] {
  if (first !== undefined) {
    const words = first.join(" ");
    const isFirst =
      `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${words}`;
    return [`complete -c rehearse -n "${isFirst}" -f -a ${quoted(words)}`];
  }
  if (takes === "files") return [];
  const words = takes === undefined ? "" : ` -a ${quoted(takes.join(" "))}`;
  return [`complete -c rehearse -n "__fish_seen_subcommand_from ${name}" -f${words}`];
}

function option(command: string, flag: Flag): string {
  const { name, short, optional, bare, help } = flag;
  const hasValue = placeholder(flag) !== undefined && !isSwitch(flag) && !optional;
  return [
    `complete -c rehearse -n "__fish_seen_subcommand_from ${command}" -l ${name}`,
    short && `-s ${short}`,
    hasValue && `${bare === undefined ? "-r " : ""}${action(completionValues(flag))}`,
    `-d ${quoted(help)}`,
  ].filter(Boolean).join(" ");
}

function action(values: Values): string {
  switch (values.kind) {
    case "words":
      return `-f -a ${quoted(values.words.join(" "))}`;
    case "list":
      return `-f -a ${quoted(`(__fish_append , ${values.words.join(" ")})`)}`;
    case "files":
      return "-F";
    case "nothing":
      return "-f";
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
