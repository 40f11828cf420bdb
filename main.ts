import { cli } from "./src/cli/cli.ts";
import { denoIo } from "./src/cli/system/io.ts";
import { exitOnEarlySignal } from "./src/cli/system/signals.ts";

if (import.meta.main) {
  exitOnEarlySignal(Deno.exit);
  Deno.exit(await cli(Deno.args, denoIo()));
}
