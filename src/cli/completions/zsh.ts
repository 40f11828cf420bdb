import { placeholder } from "../command/args.ts";
import type { Command, Flag } from "../command/command.ts";
import { completionValues, type Values } from "./completion_values.ts";

/**
 * Creates a zsh script that completes commands, options and option values, with their descriptions.
 */
export function zshCompletions(commands: readonly Command[]): string {
  return `#compdef rehearse
_rehearse() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
    'help:Show the help of a command'
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

function branch({ name, flags, takes }: Command): string {
  const specs = [...flags.map(spec), ...argument(takes).map(quoted)];
  return `    ${name}) shift words; (( CURRENT-- )); _arguments ${specs.join(" ")} ;;`;
}

function spec(flag: Flag): string {
  const { name, optional, repeats, help } = flag;
  const value = placeholder(flag);
  const what = `${repeats ? "*" : ""}--${name}[${help.replace(/[[\]]/g, "\\$&")}]`;
  if (value === undefined || optional) return quoted(what);
  return quoted(`${what}:${value.replace(",...", "")}:${action(completionValues(flag))}`);
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
