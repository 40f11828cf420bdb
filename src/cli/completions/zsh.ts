import { isSwitch, placeholder } from "../command/args.ts";
import type { Command, Flag, ListedCommand } from "../command/command.ts";
import { completionValues, type Values } from "./completion_values.ts";

/**
 * Creates a zsh script that completes commands, options and option values, with their descriptions.
 */
export function zshCompletions(commands: readonly ListedCommand[]): string {
  return `#compdef rehearse
_rehearse() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
    'help:Show help for a command'
  )
  if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ "\${words[2]}" == help ]]; }; then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${commands.map(branch).join("\n")}
  esac
}
compdef _rehearse rehearse
`;
}

function branch({ name, flags, takes, first }: Command): string {
  const words = first === undefined ? [] : [`1:target:(${first.join(" ")})`];
  const all = [...flags.flatMap(specs), ...[...words, ...argument(takes)].map(quoted)];
  return `    ${name}) shift words; (( CURRENT-- )); _arguments ${all.join(" ")} ;;`;
}

/** Returns a specification for zsh's `_arguments` for each form of an option. */
function specs(flag: Flag): string[] {
  const { name, short, optional, repeats, bare, help } = flag;
  const value = isSwitch(flag) || optional ? undefined : placeholder(flag);
  const described = `[${help.replace(/[[\]]/g, "\\$&")}]`;
  const rest = value === undefined
    ? described
    : `${described}${bare === undefined ? ":" : "::"}${value.replace(",...", "")}:${
      action(completionValues(flag))
    }`;
  const once = repeats ? "*" : short === undefined ? "" : `(-${short} --${name})`;
  const long = `${once}--${name}${value === undefined ? "" : "="}${rest}`;
  return [long, ...(short === undefined ? [] : [`${once}-${short}${rest}`])].map(quoted);
}

/**
 * Returns the action that completes a value in a specification for zsh's `_arguments`. A single
 * space means that nothing is completed.
 */
function action(values: Values): string {
  switch (values.kind) {
    case "words":
      return `(${values.words.join(" ")})`;
    case "list":
      return `_values -s , value ${values.words.join(" ")}`;
    case "files":
      return "_files";
    case "nothing":
      return " ";
  }
}

function argument(takes: Command["takes"]): string[] {
  if (takes === undefined) return [];
  return [takes === "files" ? "*:file:_files" : `1:argument:(${takes.join(" ")})`];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
