/**
 * Records an application's journey: `deno run --no-lock -A scripts/reality/record.ts NAME ORIGIN FILE`.
 * Apart from the other scripts, as it alone needs playwright-core, which is not in the lock file.
 */
import { APPLICATIONS } from "./applications.ts";
import { recordHar } from "./browser.ts";

const [name, origin, file] = Deno.args;
const application = APPLICATIONS.find((one) => one.name === name);
if (application === undefined || file === undefined) {
  throw new Error(
    `say which of ${APPLICATIONS.map((one) => one.name).join(", ")}, where, and a file`,
  );
}
await recordHar(file, (page) => application.journey(page, origin));
