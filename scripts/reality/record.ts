/**
 * Records a session in an application: `deno run --no-lock -A scripts/reality/record.ts NAME ORIGIN
 * FILE`. It is a separate script, because only it needs playwright-core, which is not in the
 * lockfile.
 */
import { APPLICATIONS } from "./applications.ts";
import { recordHar } from "./browser.ts";

const [name, origin, file] = Deno.args;
const application = APPLICATIONS.find((one) => one.name === name);
if (application === undefined || file === undefined) {
  throw new Error(
    `usage: record.ts NAME ORIGIN FILE; NAME is one of ${
      APPLICATIONS.map((one) => one.name).join(", ")
    }`,
  );
}
await recordHar(file, (page) => application.session(page, origin));
