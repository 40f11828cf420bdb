import type { Command, Flag } from "../command.ts";

/** A bash script that completes commands, options and the values of options. */
export function bashCompletions(commands: readonly Command[]): string {
  return `_rehearse() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} help" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${commands.flatMap(choices).join("\n")}
  esac
  if [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map(options).join("\n")}
    esac
    return
  fi
  COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _rehearse rehearse
`;
}

function choices({ name, flags }: Command): string[] {
  return flags.filter((flag) => flag.choices).map((flag) =>
    `  "${name} --${flag.name}") COMPREPLY=($(compgen -W "${
      flag.choices!.join(" ")
    }" -- "$word")); return ;;`
  );
}

function options({ name, flags }: Command): string {
  return `    ${name}) COMPREPLY=($(compgen -W "${flags.map(long).join(" ")}" -- "$word")) ;;`;
}

function long(flag: Flag): string {
  return `--${flag.name}`;
}
