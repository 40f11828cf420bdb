import { wrapWords } from "../../base/safe_text.ts";
import { isSwitch, placeholder, withCommonFlags } from "./args.ts";
import type { Examples, Flag, ListedCommand } from "./command.ts";

const WIDTH = 80;

const EXAMPLES: Examples = {
  "rehearse init": "Ask three questions and write a first plan.",
  "rehearse convert access.log -o plan.yaml": "Make a plan that reproduces the traffic of a log.",
  "rehearse convert session.har -o plan.yaml":
    "Make a plan that replays a browser session with live values.",
  "rehearse validate plan.yaml": "Check the plan.",
  "rehearse run plan.yaml --base-url http://127.0.0.1:8080": "Run the plan and report the results.",
};

/** Returns the help text of `rehearse`, which lists `commands` by name. */
export function toolHelp(commands: Readonly<Record<string, { readonly summary: string }>>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
  return [
    "rehearse: turn recorded traffic into a load test and run it\n",
    "Usage: rehearse COMMAND [OPTIONS]\n",
    "Commands:",
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`),
    "\nOptions:",
    "  -h, --help     Show this help; `rehearse COMMAND --help` describes a command,",
    "                 and `rehearse --help all` describes all commands",
    "  -V, --version  Show the version\n",
    "Environment:",
    "  NO_COLOR       Do not use colors on a terminal",
    "  FORCE_COLOR    Use colors in pipes and CI logs too (0: never)\n",
    exampleList(EXAMPLES),
  ].join("\n");
}

/** Maximum number of lines of a help text that describes all options. */
const MAX_LINES = 60;

export function commandHelp(command: ListedCommand, isComplete = false): string {
  const whole = completeHelp(command);
  const isShort = isComplete || whole.split("\n").length <= MAX_LINES;
  return isShort ? whole : shortenedHelp(command);
}

function completeHelp(command: ListedCommand): string {
  const tables = [...flagGroups(command)].map(([title, flags]) => flagTable(title, flags));
  return commandPage(command, tables);
}

function shortenedHelp(command: ListedCommand): string {
  const lists = [...flagGroups(command)].map(([title, flags]) =>
    title === OPTIONS ? flagTable(title, flags) : nameList(title, flags)
  );
  const more = `\`rehearse ${command.name} --help all\` describes all options.`;
  return commandPage(command, [...lists, more]);
}

function commandPage(
  { name, summary, usage, about, examples }: ListedCommand,
  options: readonly string[],
): string {
  return [
    `${summary}\n`,
    `Usage: rehearse ${name} ${usage}`.trimEnd() + "\n",
    exampleList(examples),
    ...about.map((paragraph) => fold(paragraph, "") + "\n"),
    ...options,
  ].join("\n").trimEnd() + "\n";
}

const OPTIONS = "Options";

function flagGroups({ flags }: ListedCommand): Map<string, Flag[]> {
  return Map.groupBy(withCommonFlags(flags), ({ group }) => group ?? OPTIONS);
}

function nameList(title: string, flags: readonly Flag[]): string {
  return `${title}:\n${fold(flags.map(({ name }) => `--${name}`).join(" "), "  ")}\n`;
}

/** Returns the complete help of several commands, one after the other. */
export function allHelp(commands: readonly ListedCommand[]): string {
  const line = `${"─".repeat(WIDTH)}\n`;
  return commands.map(completeHelp).join(`\n${line}\n`);
}

function exampleList(examples: Examples): string {
  const lines = Object.entries(examples)
    .map(([line, does]) => `  ${line}\n${fold(does, "      ")}`);
  return `Examples:\n${lines.join("\n")}\n`;
}

function flagTable(title: string, flags: readonly Flag[]): string {
  const left = flags.map(flagForm);
  const column = Math.max(...left.map((text) => text.length)) + 4;
  const rows = flags.map((flag, i) => {
    const text = flag.help + note(flag);
    return `  ${left[i]}`.padEnd(column) + fold(text, " ".repeat(column)).trimStart();
  });
  return `${title}:\n${rows.join("\n")}\n`;
}

function note({ choices = [], repeats, otherwise, default: fallback = otherwise }: Flag): string {
  const parts = [
    ...(choices.length > 1 ? [choices.join(", ")] : []),
    ...(repeats ? ["repeatable"] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  return parts.length > 0 ? ` (${parts.join("; ")})` : "";
}

function flagForm(flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : "    ";
  const value = isSwitch(flag) ? undefined : placeholder(flag);
  const form = value === undefined
    ? ""
    : flag.optional
    ? `[=${value}]`
    : flag.bare !== undefined
    ? ` [${value}]`
    : ` ${value}`;
  return `${short}--${flag.name}${form}`;
}

function fold(text: string, indent: string): string {
  return wrapWords(text, WIDTH - indent.length).map((line) => indent + line).join("\n");
}
