import { cli } from "./src/cli/cli.ts";
import { denoIo } from "./src/cli/system/io.ts";

if (import.meta.main) Deno.exit(await cli(Deno.args, denoIo()));
