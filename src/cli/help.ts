import { withCommonFlags } from "./args.ts";
import type { Command, Example, Flag } from "./command.ts";

const WIDTH = 80;

/** The whole help text of one command. */
export function commandHelp(command: Command): string {
  const groups = Map.groupBy(withCommonFlags(command.flags), (flag) => flag.group ?? "Options");
  return [
    `${command.summary}\n`,
    `Usage: rehearse ${command.name} ${command.usage}\n`,
    ...command.about.map((paragraph) => fold(paragraph, "") + "\n"),
    ...[...groups].map(([title, flags]) => flagTable(title, flags)),
    exampleList(command.examples),
  ].join("\n");
}

/** The examples of a command or of the tool, each with what it does. */
export function exampleList(examples: readonly Example[]): string {
  const lines = examples.map(({ command, does }) => `  ${command}\n${fold(does, "      ")}`);
  return `Examples:\n${lines.join("\n")}\n`;
}

function flagTable(title: string, flags: readonly Flag[]): string {
  const left = flags.map(flagForm);
  const column = Math.max(...left.map((text) => text.length)) + 4;
  const rows = flags.map((flag, i) => {
    const note = flag.choices
      ? ` (${flag.choices.join(", ")})`
      : flag.repeats
      ? " (repeatable)"
      : "";
    return `  ${left[i]}`.padEnd(column) + fold(flag.help + note, " ".repeat(column)).trimStart();
  });
  return `${title}:\n${rows.join("\n")}\n`;
}

function flagForm(flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : "    ";
  const value = flag.optional ? `[=${flag.value}]` : ` ${flag.value}`;
  return `${short}--${flag.name}${flag.value ? value : ""}`;
}

function fold(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    if (line.length + word.length > WIDTH && line.trim() !== "") {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += word + " ";
  }
  lines.push(line.trimEnd());
  return lines.join("\n");
}
