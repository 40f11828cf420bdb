import type { Command, Flag } from "../command.ts";

/** A zsh script that completes commands, options and the values of options, with their help. */
export function zshCompletions(commands: readonly Command[]): string {
  return `#compdef rehearse
_rehearse() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
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

function branch({ name, flags }: Command): string {
  const specs = [...flags.map(spec), quoted("*:file:_files")];
  return `    ${name}) shift words; (( CURRENT-- )); _arguments ${specs.join(" ")} ;;`;
}

function spec({ name, value, optional, choices, repeats, help }: Flag): string {
  const what = `${repeats ? "*" : ""}--${name}[${help.replace(/[[\]]/g, "\\$&")}]`;
  if (!value || optional) return quoted(what);
  return quoted(`${what}:${value}:${choices ? `(${choices.join(" ")})` : "_files"}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
