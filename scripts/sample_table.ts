/**
 * Reads every sample log with `convert` and prints a table. It shows how each log was read, and
 * compares its rate, span, clients and statuses with the requests as their sender recorded them.
 * Exits with 1 if a sample is read incorrectly.
 *
 *     deno run -A scripts/sample_table.ts
 */
import { checkSamples } from "./samples/check_sample.ts";
import { markdownTable } from "./markdown_table.ts";

const results = await checkSamples();
console.log(markdownTable([
  ["sample", "read", "requests/s", "seconds", "clients", "statuses", "compared"],
  ...results.map(({ name, option, read, rate, wrong }) => [
    name,
    option === undefined ? "by itself" : `\`--log-format '${option}'\``,
    rate.toPrecision(4),
    String(read?.seconds ?? ""),
    String(read?.clients ?? ""),
    Object.entries(read?.statuses ?? {}).map(([status, count]) => `${status}: ${count}`).join(", "),
    wrong.length === 0 ? "equal" : wrong.join(", "),
  ]),
]));
const right = results.filter(({ wrong }) => wrong.length === 0);
const alone = right.filter(({ option }) => option === undefined);
console.log(
  `${results.length} samples: ${alone.length} read by themselves, ${
    right.length - alone.length
  } with one option, ${results.length - right.length} wrong`,
);
Deno.exit(right.length === results.length ? 0 : 1);
