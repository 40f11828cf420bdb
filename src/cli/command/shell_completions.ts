import { isSwitch, placeholder, withCommonFlags } from "./args.ts";
import type { Command, Flag, ListedCommand } from "./command.ts";

/** What a shell offers: words, words for a comma-separated list, file names, or nothing. */
interface Offer {
  readonly kind: "words" | "list" | "files" | "nothing";
  readonly words: readonly string[];
  /** True if a file name may follow instead of a value. */
  readonly orFiles: boolean;
}

/** An option. `offer` is undefined if no argument follows the option. */
interface CompletedOption {
  readonly flag: Flag;
  readonly forms: readonly string[];
  readonly offer: Offer | undefined;
}

/** A command as a shell completes it. `offer` is for its arguments, `first` for the first one. */
interface CompletedCommand extends Pick<ListedCommand, "name" | "summary"> {
  readonly options: readonly CompletedOption[];
  readonly offer: Offer;
  readonly first: Offer | undefined;
}

/** Functions that create the completion script for a shell, by the shell's name. */
export const SHELLS: Readonly<Record<string, (commands: readonly ListedCommand[]) => string>> = {
  bash: (commands) => bash(commands.map(completed)),
  zsh: (commands) => zsh(commands.map(completed)),
  fish: (commands) => fish(commands.map(completed)),
  powershell: (commands) => powershell(commands.map(completed)),
};

function completed({ flags, takes, first, ...command }: ListedCommand): CompletedCommand {
  return {
    ...command,
    options: withCommonFlags(flags).map((flag) => ({
      flag,
      forms: [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])],
      offer: valueOffer(flag),
    })),
    offer: argumentOffer(takes),
    first: first && argumentOffer(first),
  };
}

function valueOffer(flag: Flag): Offer | undefined {
  const { file, value, choices, suggests, optional, bare } = flag;
  if (placeholder(flag) === undefined || optional || isSwitch(flag)) return undefined;
  const words = choices ?? suggests;
  const kind = words === undefined
    ? file === undefined ? "nothing" : "files"
    : value?.endsWith(",...")
    ? "list"
    : "words";
  return { kind, words: words ?? [], orFiles: bare !== undefined };
}

function argumentOffer(takes: Command["takes"]): Offer {
  const words = takes === undefined || takes === "files" ? [] : takes;
  const kind = takes === undefined ? "nothing" : takes === "files" ? "files" : "words";
  return { kind, words, orFiles: false };
}

/** Supports file names with spaces, and works in bash 3.2 without the bash-completion package. */
function bash(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const words = (list: string) => `_rehearse_reply < <(compgen -W "${list}" -- "$word")`;
  const files = 'compgen -f -- "$word"';
  const reply = ({ kind, words: offered, orFiles }: Offer) => {
    const list = offered.join(" ");
    return {
      words: `_rehearse_reply < <(compgen -W "${list}" -- "$word"${orFiles ? `; ${files}` : ""}); `,
      list: `_rehearse_list "${list}" "$word"; `,
      files: `_rehearse_reply < <(${files}); `,
      nothing: "",
    }[kind];
  };
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ forms, offer }) =>
      offer === undefined
        ? []
        : [`  ${forms.map((form) => `"${name} ${form}"`).join(" | ")}) ${reply(offer)}return ;;`]
    )
  );
  const options = commands.map(({ name, options }) =>
    `    ${name}) ${words(options.map(({ forms: [long] }) => long).join(" "))} ;;`
  );
  const places = commands.filter(({ offer }) => offer.kind !== "nothing").map(
    ({ name, offer, first }) =>
      first === undefined
        ? `    ${name}) ${reply(offer)};;`
        : `    ${name}) if [ "$COMP_CWORD" -eq 2 ]; then ${reply(first)}else ${reply(offer)}fi ;;`,
  );
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
    ${words(`${names} help`)}
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${values.join("\n")}
  esac
  if [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${options.join("\n")}
    esac
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) ${words(names)} ;;
${places.join("\n")}
  esac
}
complete -o filenames -F _rehearse rehearse
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const action = ({ kind, words }: Offer) => {
    const list = words.join(" ");
    // A single space means that nothing is completed.
    return {
      words: `(${list})`,
      list: `_values -s , value ${list}`,
      files: "_files",
      nothing: " ",
    }[kind];
  };
  const specs = ({ flag, forms, offer }: CompletedOption) => {
    const { name, short, repeats, help } = flag;
    const described = `[${help.replace(/[[\]]/g, "\\$&")}]`;
    const label = placeholder(flag)?.replace(",...", "");
    const rest = offer === undefined
      ? described
      : `${described}${offer.orFiles ? "::" : ":"}${label}:${action(offer)}`;
    const once = repeats ? "*" : short === undefined ? "" : `(-${short} --${name})`;
    return forms.map((form, i) =>
      quoted(`${once}${form}${i === 0 && offer !== undefined ? "=" : ""}${rest}`)
    );
  };
  const branches = commands.map(({ name, options, offer, first }) => {
    const places = [
      ...(first === undefined ? [] : [`1:target:(${first.words.join(" ")})`]),
      ...(offer.kind === "files" ? ["*:file:_files"] : []),
      ...(offer.kind === "words" ? [`1:argument:(${offer.words.join(" ")})`] : []),
    ];
    const all = [...options.flatMap(specs), ...places.map(quoted)];
    return `    ${name}) shift words; (( CURRENT-- )); _arguments ${all.join(" ")} ;;`;
  });
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
${branches.join("\n")}
  esac
}
compdef _rehearse rehearse
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const action = ({ kind, words }: Offer) => {
    const list = words.join(" ");
    return {
      words: `-f -a ${quoted(list)}`,
      list: `-f -a ${quoted(`(__fish_append , ${list})`)}`,
      files: "-F",
      nothing: "-f",
    }[kind];
  };
  const seen = (words: string) => `__fish_seen_subcommand_from ${words}`;
  const complete = (command: string) => `complete -c rehearse -n "${seen(command)}`;
  const rest = commands.flatMap(({ name, options, offer, first }) => [
    ...(first === undefined ? [] : [
      `${complete(name)}; and not ${seen(first.words.join(" "))}" ${action(first)}`,
    ]),
    ...(first !== undefined || offer.kind === "files"
      ? []
      : [`${complete(name)}" ${action(offer)}`]),
    ...options.map(({ flag: { name: option, short, bare, help }, offer }) =>
      [
        `${complete(name)}" -l ${option}`,
        short && `-s ${short}`,
        offer && `${bare === undefined ? "-r " : ""}${action(offer)}`,
        `-d ${quoted(help)}`,
      ].filter(Boolean).join(" ")
    ),
  ]);
  const top = "complete -c rehearse -n __fish_use_subcommand -f -a";
  return [
    ...commands.map(({ name, summary }) => `${top} ${name} -d ${quoted(summary)}`),
    `${top} help -d 'Show help for a command'`,
    `${complete("help")}" -f -a ${quoted(commands.map(({ name }) => name).join(" "))}`,
    ...rest,
  ].join("\n") + "\n";
}

/** If the script returns nothing, PowerShell completes file names; an empty string prevents this. */
function powershell(commands: readonly CompletedCommand[]): string {
  // PowerShell treats typographic single quotes as single quotes.
  const quoted = (text: string) => `'${text.replace(/['‘’‚‛]/g, "$&$&")}'`;
  const list = (words: readonly string[]) => `@(${words.map(quoted).join(", ")})`;
  const data = ({ kind, words, orFiles }: Offer) =>
    `@{ Kind = ${quoted(kind)}${
      kind === "words" || kind === "list" ? `; Words = ${list(words)}` : ""
    }${orFiles ? "; OrFiles = $true" : ""} }`;
  const option = ({ flag, forms: [long, short], offer }: CompletedOption) => {
    const parts = [
      `Name = ${quoted(long)}`,
      ...(short === undefined ? [] : [`Short = ${quoted(short)}`]),
      `Help = ${quoted(flag.help)}`,
      ...(offer === undefined ? [] : [`Offers = ${data(offer)}`]),
    ];
    return `        @{ ${parts.join("; ")} }`;
  };
  const described = commands.map(({ name, summary, options, offer, first }) =>
    `    @{ Name = ${quoted(name)}; Help = ${quoted(summary)}; First = ${
      first === undefined ? "$null" : data(first)
    }
      Offers = ${data(offer)}
      Options = @(
${options.map(option).join("\n")}
      ) }`
  );
  return `Register-ArgumentCompleter -Native -CommandName rehearse -ScriptBlock {
  param($word, $ast, $cursor)
  $commands = @(
${described.join("\n")}
    @{ Name = 'help'; Help = 'Show help for a command'; First = $null; Options = @()
      Offers = @{ Kind = 'words'; Words = ${list(commands.map(({ name }) => name))} } }
  )
  function Complete-Values($values, $before, $text) {
    if ($values.Kind -eq 'files') { return }
    if ($values.Kind -eq 'list' -and $text.Contains(',')) {
      $at = $text.LastIndexOf(',') + 1
      $before += $text.Substring(0, $at)
      $text = $text.Substring($at)
    }
    $found = @($values.Words | Where-Object { $_ -and $_.StartsWith($text, 'Ordinal') } |
      ForEach-Object { "$before$_" })
    if ($found.Count -gt 0) { return $found }
    if (-not $values.OrFiles) { '' }
  }
  function Complete-Described($items) {
    $found = @($items | Where-Object { $_.Name.StartsWith($word, 'Ordinal') } | ForEach-Object {
      [System.Management.Automation.CompletionResult]::new(
        $_.Name, $_.Name, 'ParameterValue', $_.Help)
    })
    if ($found.Count -gt 0) { $found } else { '' }
  }
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } |
    ForEach-Object { $_.Extent.Text })
  if ($words.Count -lt 2) { return Complete-Described $commands }
  $command = $commands | Where-Object { $_.Name -ceq $words[1] }
  if (-not $command) { return '' }
  $name = $words[-1]
  $before = ''
  $text = $word
  if ($word -match '^(--[^=]+)=(.*)$') {
    $name = $Matches[1]
    $before = "$name="
    $text = $Matches[2]
  }
  $option = $command.Options | Where-Object {
    $_.Offers -and ($_.Name -ceq $name -or $_.Short -ceq $name)
  }
  if ($option) { return Complete-Values $option.Offers $before $text }
  if ($word.StartsWith('-')) { return Complete-Described $command.Options }
  if ($command.First -and $words.Count -eq 2) { return Complete-Values $command.First '' $word }
  Complete-Values $command.Offers '' $word
}
`;
}
