import { isSwitch, placeholder } from "../command/args.ts";
import type { Command, Flag, ListedCommand } from "../command/command.ts";
import { completionValues, type Values } from "./completion_values.ts";

/**
 * Creates a bash script that completes commands, options, option values and arguments. The script
 * supports file names with spaces. It works in bash 3.2, the version on macOS, without the
 * bash-completion package.
 */
export function bashCompletions(commands: readonly ListedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `_rehearse_reply() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
_rehearse_list() {
  local before=
  case "$2" in *,*) before="\${2%,*}," ;; esac
  _rehearse_reply < <(compgen -P "$before" -W "$1" -- "\${2##*,}")
}
_rehearse() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at=$COMP_CWORD
  COMPREPLY=()
  # Bash splits --name=value at the equals sign.
  if [ "$word" = = ]; then
    word=
  elif [ "$before" = = ] && [ "$at" -gt 2 ]; then
    at=$((at - 1)) before=\${COMP_WORDS[at-1]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    _rehearse_reply < <(compgen -W "${names} help" -- "$word")
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${commands.flatMap(values).join("\n")}
  esac
  if [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map(options).join("\n")}
    esac
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) _rehearse_reply < <(compgen -W "${names}" -- "$word") ;;
${commands.flatMap(argument).join("\n")}
  esac
}
complete -o filenames -F _rehearse rehearse
`;
}

function values({ name, flags }: Command): string[] {
  return flags.filter((flag) => placeholder(flag) && !flag.optional && !isSwitch(flag)).map(
    (flag) => {
      const forms = [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])];
      const patterns = forms.map((form) => `"${name} ${form}"`).join(" | ");
      return `  ${patterns}) ${reply(completionValues(flag), flag.bare !== undefined)}return ;;`;
    },
  );
}

/** Returns bash code that offers values and, if `orFiles` is true, file names. */
function reply(values: Values, orFiles = false): string {
  switch (values.kind) {
    case "words":
      return `_rehearse_reply < <(compgen -W "${values.words.join(" ")}" -- "$word"${
        orFiles ? '; compgen -f -- "$word"' : ""
      }); `;
    case "list":
      return `_rehearse_list "${values.words.join(" ")}" "$word"; `;
    case "files":
      return `_rehearse_reply < <(compgen -f -- "$word"); `;
    case "nothing":
      return "";
  }
}

function options({ name, flags }: Command): string {
  const words = flags.map(long).join(" ");
  return `    ${name}) _rehearse_reply < <(compgen -W "${words}" -- "$word") ;;`;
}

function argument({ name, takes, first }: Command): string[] {
  if (takes === undefined) return [];
  const values: Values = takes === "files" ? { kind: "files" } : { kind: "words", words: takes };
  if (first === undefined) return [`    ${name}) ${reply(values)};;`];
  const words = reply({ kind: "words", words: first });
  return [
    `    ${name}) if [ "$COMP_CWORD" -eq 2 ]; then ${words}else ${reply(values)}fi ;;`,
  ];
}

function long(flag: Flag): string {
  return `--${flag.name}`;
}
