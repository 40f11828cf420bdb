import { VERSION } from "../../base/release.ts";
import type { Command } from "../command/command.ts";
import { command } from "../command/options.ts";

export const versionCommand: Command = command({
  name: "version",
  usage: "",
  about: [],
  options: {},
  needs: [],
  examples: { "rehearse version": "Print the versions to include in a bug report." },
  run(_given, io) {
    const { deno, v8 } = Deno.version;
    const { os, arch } = Deno.build;
    io.stdout.write(`rehearse ${VERSION} (deno ${deno}, v8 ${v8}, ${os} ${arch})\n`);
    return Promise.resolve(0);
  },
});
