import { TempFolder } from "./temp_folder.ts";

/**
 * Loads the completion script `script` into an interactive zsh and completes the end of `line`.
 * Returns the matches, and the resulting line, which contains the completion only if there is one
 * match. `path` is the value of `PATH`. Runs the shell in a pseudo-terminal that the module
 * `zsh/zpty` provides.
 */
export async function completeInZsh(
  script: string,
  line: string,
  cwd: string,
  path: string,
): Promise<{ readonly matches: string[]; readonly line: string }> {
  using temp = new TempFolder();
  const folder = temp.path;
  await Deno.writeTextFile(`${folder}/completions.zsh`, script);
  await Deno.writeTextFile(`${folder}/setup.zsh`, SETUP);
  await Deno.writeTextFile(`${folder}/line`, line);
  const shell = new Deno.Command("zsh", {
    args: ["-fc", DRIVER],
    cwd,
    env: { FOLDER: folder, TERM: "dumb", PATH: path },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const limit = setTimeout(() => shell.kill("SIGKILL"), LIMIT_MS);
  const { success, stderr } = await shell.output();
  clearTimeout(limit);
  if (!success) throw new Error(`zsh: ${new TextDecoder().decode(stderr) || "no result"}`);
  const text = await Deno.readTextFile(`${folder}/matches`).catch(() => "");
  const matches = text.split("\n").filter((match) => match !== "");
  return {
    matches: [...new Set(matches)].sort(),
    line: await Deno.readTextFile(`${folder}/completed`),
  };
}

/** Time limit in milliseconds for a shell that waits for output that never arrives. */
const LIMIT_MS = 60_000;

/** Script that starts an interactive zsh and completes the line in it. */
const DRIVER = `
zmodload zsh/zpty
zpty shell zsh -fi
zpty -w shell "source $FOLDER/setup.zsh"
zpty -r shell reply '*READY*' || exit 1
zpty -w -n shell $'\\C-t'
zpty -r shell reply '*DONE*' || exit 1
zpty -d shell
`;

/**
 * Script that wraps `compadd`, which receives all matches, so that it writes the matches to a file.
 * Binds Ctrl-T to a function that completes the line and writes the result to a second file.
 */
const SETUP = `
PROMPT=
autoload -U compinit && compinit -D -u
source $FOLDER/completions.zsh
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  for hit in $hits; do print -r -- "$IPREFIX$hit" >> $FOLDER/matches; done
  builtin compadd "$@"
}
complete-line() {
  BUFFER=$(<$FOLDER/line)
  CURSOR=$#BUFFER
  zle complete-word
  print -rn -- "$BUFFER" > $FOLDER/completed
  print DO''NE
}
zle -N complete-line
bindkey '^T' complete-line
print REA''DY
`;
