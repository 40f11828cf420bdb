import type { Command, Flag } from "../command.ts";

/** A fish script that completes commands, options and the values of options, with their help. */
export function fishCompletions(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) =>
    `complete -c rehearse -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`
  );
  const options = commands.flatMap(({ name, flags }) => flags.map((flag) => option(name, flag)));
  return [...names, ...options].join("\n") + "\n";
}

function option(command: string, { name, short, value, optional, choices, help }: Flag): string {
  return [
    `complete -c rehearse -n "__fish_seen_subcommand_from ${command}" -l ${name}`,
    short && `-s ${short}`,
    value && !optional && "-r",
    choices && `-f -a ${quoted(choices.join(" "))}`,
    `-d ${quoted(help)}`,
  ].filter(Boolean).join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
