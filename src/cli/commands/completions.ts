import { UsageError } from "../../base/errors.ts";
import type { Command, ListedCommand } from "../command/command.ts";
import { command } from "../command/options.ts";
import { SHELLS } from "../command/shell_completions.ts";

const ONE_SHELL = "one shell: bash, zsh, fish or powershell";

/**
 * Creates the `rehearse completions` command, which prints shell completions for the commands that
 * `load` returns.
 */
export const completionsCommand = (load: () => Promise<readonly ListedCommand[]>): Command =>
  command({
    name: "completions",
    usage: "bash|zsh|fish|powershell",
    takes: Object.keys(SHELLS),
    expects: { what: ONE_SHELL },
    about: [],
    options: {},
    needs: [],
    examples: [
      {
        command: "source <(rehearse completions bash)",
        does: "Enable completions in the current bash session.",
      },
      {
        command: "autoload -U compinit && compinit; source <(rehearse completions zsh)",
        does: "Enable completions in the current zsh session.",
      },
      {
        command: "rehearse completions fish > ~/.config/fish/completions/rehearse.fish",
        does: "Enable completions in every new fish session.",
      },
      {
        command: "rehearse completions powershell | Out-String | Invoke-Expression",
        does: "Enable completions in the current PowerShell session.",
      },
    ],
    async run({ args: { positionals: [shell] } }, io) {
      if (!Object.hasOwn(SHELLS, shell)) throw new UsageError(`expected ${ONE_SHELL}`);
      io.stdout.write(SHELLS[shell](await load()));
      return 0;
    },
  });
