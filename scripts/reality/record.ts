/**
 * Records a session in a running application:
 * `deno run --no-lock -A scripts/reality/record.ts NAME INSTALLED DATA PORT FILE`. It is a separate
 * script, because only it needs playwright-core, which is not in the lockfile.
 */
import { findApplication } from "./applications.ts";
import { recordHar } from "./browser.ts";

const [name, installed, data, port, file] = Deno.args;
const application = findApplication(name);
const place = { installed, data, port: Number(port), origin: `http://127.0.0.1:${port}` };
await recordHar(file, place.port, (page) => application.session(page, place));
