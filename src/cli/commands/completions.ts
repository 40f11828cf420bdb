import { UsageError } from "../../base/errors.ts";
import { withCommonFlags } from "../args.ts";
import type { Command } from "../command.ts";
import { bashCompletions } from "../completions/bash.ts";
import { fishCompletions } from "../completions/fish.ts";
import { zshCompletions } from "../completions/zsh.ts";

const SHELLS: Record<string, (commands: readonly Command[]) => string> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

/** `rehearse completions`, for the commands that `load` gives. */
export const completionsCommand = (load: () => Promise<readonly Command[]>): Command => ({
  name: "completions",
  summary: "Print the completions for a shell",
  usage: "bash|zsh|fish",
  takes: Object.keys(SHELLS),
  about: [],
  flags: [],
  examples: [
    { command: "source <(rehearse completions bash)", does: "complete in this bash" },
    {
      command: "rehearse completions fish > ~/.config/fish/completions/rehearse.fish",
      does: "complete in every fish",
    },
  ],
  async run(args, io) {
    const [shell] = args.positionals;
    if (args.positionals.length !== 1 || !Object.hasOwn(SHELLS, shell)) {
      throw new UsageError("expected one shell: bash, zsh or fish");
    }
    const complete = (await load()).map((command) => ({
      ...command,
      flags: withCommonFlags(command.flags),
    }));
    io.stdout.write(SHELLS[shell](complete));
    return 0;
  },
});
