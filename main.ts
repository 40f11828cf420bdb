import { cli } from "./src/cli/cli.ts";
import { denoIo, exitOnEarlySignal } from "./src/cli/system/io.ts";

if (import.meta.main) {
  exitOnEarlySignal(Deno.exit);
  Deno.exit(await cli(Deno.args, denoIo()));
}
