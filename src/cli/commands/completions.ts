import { type Command, EXIT, type Flag, type ListedCommand } from "../command/command.ts";
import { command } from "../command/options.ts";
import { UsageError } from "../../base/errors.ts";
import { isSwitch, placeholder, withCommonFlags } from "../command/args.ts";

const ONE_SHELL = "one shell: bash, zsh, fish or powershell";

/**
 * Creates the `rehearse completions` command. Without words, it prints a script that asks the same
 * command for the words that may follow. The arguments are those of `findCandidates`.
 */
export const completionsCommand = (
  commands: Parameters<typeof findCandidates>[1],
  load: Parameters<typeof findCandidates>[2],
): Command =>
  command({
    name: "completions",
    usage: "bash|zsh|fish|powershell",
    takes: Object.keys(SCRIPTS),
    expects: { what: ONE_SHELL, max: Infinity },
    about: [],
    options: {},
    needs: [],
    examples: {
      "source <(rehearse completions bash)": "Enable completions in the current bash session.",
      "autoload -U compinit && compinit; source <(rehearse completions zsh)":
        "Enable completions in the current zsh session.",
      "rehearse completions fish > ~/.config/fish/completions/rehearse.fish":
        "Enable completions in every new fish session.",
      "rehearse completions powershell | Out-String | Invoke-Expression":
        "Enable completions in the current PowerShell session.",
    },
    async run({ args: { positionals: [shell, ...words] } }, io) {
      if (!Object.hasOwn(SCRIPTS, shell)) throw new UsageError(`expected ${ONE_SHELL}`);
      if (words.length === 0) {
        io.stdout.write(SCRIPTS[shell]);
        return EXIT.OK;
      }
      const found = await findCandidates(typedWords(shell, words), commands, load);
      const lines = found.words.map(([word, help]) =>
        `${shell === "bash" ? word.replace(/^-[^=]+=/, "") : word}\t${help}`
      );
      io.stdout.write(
        [...lines, ...(found.files ? [FILES] : [])].map((line) => line + "\n").join(""),
      );
      return EXIT.OK;
    },
  });

/** Line that offers file names. */
const FILES = ":files";

function typedWords(shell: string, words: readonly string[]): readonly string[] {
  if (shell === "powershell") return words[0].split(/ +/).slice(1);
  if (shell !== "bash") return words;
  // Bash splits `--name=value` at the equals sign.
  return words.join("\0").replace(/\0=(?:\0|$)/g, "=").split("\0");
}

/** Scripts that ask `rehearse completions` for the words that may follow, by shell. */
const SCRIPTS: Readonly<Record<string, string>> = {
  // Works in bash 3.2 without the bash-completion package.
  bash: `_rehearse() {
  local line word="\${COMP_WORDS[COMP_CWORD]}"
  [ "$word" != = ] || word=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ${FILES} ]; then
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(rehearse completions bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _rehearse rehearse
`,
  zsh: `#compdef rehearse
_rehearse() {
  local line files
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == ${FILES} ]]; then
      files=1
    else
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(rehearse completions zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe -V rehearse found
  if [[ -n "$files" ]]; then
    compset -P '-*='
    _files
  fi
}
compdef _rehearse rehearse
`,
  fish: `function __rehearse_completions
  set -l token (commandline -ct)
  set -l words (commandline -opc) "$token"
  for line in (rehearse completions fish -- $words[2..] 2>/dev/null)
    if test "$line" = ${FILES}
      set -l start (string match -r '^-[^=]+=' -- "$token")
      for path in (__fish_complete_path (string replace -r '^-[^=]+=' '' -- "$token"))
        echo "$start$path"
      end
    else
      echo "$line"
    end
  end
end
complete -c rehearse -f -a '(__rehearse_completions)'
`,
  // If the script returns nothing, PowerShell completes file names; an empty string prevents this.
  powershell: `Register-ArgumentCompleter -Native -CommandName rehearse -ScriptBlock {
  param($word, $ast, $cursor)
  $end = $cursor - $ast.Extent.StartOffset
  $line = "$ast".PadRight($end).Substring(0, $end).Replace('"', '')
  $lines = @(rehearse completions powershell -- $line 2>$null)
  foreach ($one in $lines) {
    $text, $help = $one -split "\`t", 2
    if ($text -ne '${FILES}') {
      if (-not $help) { $help = $text }
      [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help)
    }
  }
  if ($lines.Count -eq 0) { '' }
}
`,
};

/** A word that may follow on a command line, and its description. */
export type Candidate = readonly [word: string, help: string];

/** What may follow on a command line: the words, and whether a file name may. */
export interface Candidates {
  readonly words: readonly Candidate[];
  readonly files: boolean;
}

/**
 * Returns what may replace the last of `words`, the words after `rehearse` on a command line.
 * `commands` are the commands with their descriptions, and `load` loads one of them.
 */
export async function findCandidates(
  words: readonly string[],
  commands: Readonly<Record<string, { readonly summary: string }>>,
  load: (name: string) => Promise<ListedCommand>,
): Promise<Candidates> {
  const [name] = words;
  const typed = words.at(-1) ?? "";
  const names = Object.entries(commands).map(([name, { summary }]): Candidate => [name, summary]);
  if (words.length < 2) return startingWith(typed, [...names, ["help", "Show help for a command"]]);
  if (name === "help") return startingWith(typed, names);
  if (!Object.hasOwn(commands, name)) return startingWith(typed, []);
  const { flags, takes, first = takes } = await load(name);
  const known = withCommonFlags(flags);
  const [, option = words.at(-2), assigned] = /^(-[^=]+)=(.*)$/s.exec(typed) ?? [];
  const flag = known.find(({ name, short }) => option === `--${name}` || option === `-${short}`);
  if (flag !== undefined && assigned !== undefined) return valuesOf(flag, assigned, `${option}=`);
  if (flag !== undefined && hasSeparateValue(flag)) return valuesOf(flag, typed);
  if (typed.startsWith("-")) {
    const offered = known.filter((flag) => isPossible(flag, known, words));
    return startingWith(typed, offered.map(({ name, help }) => [`--${name}`, help]));
  }
  const expected = words.length === 2 ? first : takes;
  if (expected === "files") return { words: [], files: true };
  return startingWith(typed, (expected ?? []).map((word) => [word, ""]));
}

function isPossible(flag: Flag, known: readonly Flag[], words: readonly string[]): boolean {
  const isGiven = (name: string) =>
    words.slice(0, -1).some((word) => word.split("=")[0] === `--${name}`);
  const excludes = (a: Flag, b: Flag) => Object.hasOwn(a.conflicts ?? {}, b.name);
  return (flag.repeats || !isGiven(flag.name)) &&
    !known.some((other) => isGiven(other.name) && (excludes(flag, other) || excludes(other, flag)));
}

function startingWith(typed: string, words: readonly Candidate[]): Candidates {
  return { words: words.filter(([word]) => word.startsWith(typed)), files: false };
}

function hasSeparateValue(flag: Flag): boolean {
  return placeholder(flag) !== undefined && !flag.optional && !isSwitch(flag);
}

/** Returns the values that start with `typed`, each with the text `before` it. */
function valuesOf({ file, value, choices, suggests, bare }: Flag, typed: string, before = "") {
  const words = choices ?? suggests;
  const list = value?.endsWith(",...") ? typed.slice(0, typed.lastIndexOf(",") + 1) : "";
  const all = (words ?? []).map((word): Candidate => [before + list + word, ""]);
  // Without its value, the option is followed by an argument of the command.
  const mayBeOmitted = bare !== undefined && before === "";
  const files = mayBeOmitted || words === undefined && file !== undefined;
  return { ...startingWith(before + typed, all), files };
}
