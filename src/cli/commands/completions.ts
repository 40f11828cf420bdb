import { UsageError } from "../../base/errors.ts";
import { withCommonFlags } from "../command/args.ts";
import type { Command, ListedCommand } from "../command/command.ts";
import { bashCompletions } from "../completions/bash.ts";
import { fishCompletions } from "../completions/fish.ts";
import { powershellCompletions } from "../completions/powershell.ts";
import { zshCompletions } from "../completions/zsh.ts";

const SHELLS: Record<string, (commands: readonly ListedCommand[]) => string> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
  powershell: powershellCompletions,
};

/**
 * Creates the `rehearse completions` command, which prints shell completions for the commands that
 * `load` returns.
 */
export const completionsCommand = (load: () => Promise<readonly ListedCommand[]>): Command => ({
  name: "completions",
  usage: "bash|zsh|fish|powershell",
  takes: Object.keys(SHELLS),
  about: [],
  flags: [],
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
  async run(args, io) {
    const [shell] = args.positionals;
    if (args.positionals.length !== 1 || !Object.hasOwn(SHELLS, shell)) {
      throw new UsageError("expected one shell: bash, zsh, fish or powershell");
    }
    const complete = (await load()).map((command) => ({
      ...command,
      flags: withCommonFlags(command.flags),
    }));
    io.stdout.write(SHELLS[shell](complete));
    return 0;
  },
});
