// Generates the files that are derived from schemas and registries. With --check, exits with 1 if
// one is out of date.
import { PLAN_SCHEMA_URL, REPOSITORY, VERSION } from "../src/base/release.ts";
import { planJsonSchema } from "../src/plan/schema/plan.ts";
import { summaryJsonSchema } from "../src/engine/summary/summary.ts";
import { planReference } from "./plan_reference.ts";

const root = new URL("../", import.meta.url);
const GENERATED: Readonly<Record<string, string>> = {
  "docs/plan.schema.json": JSON.stringify(planJsonSchema(), null, 2) + "\n",
  "docs/summary.schema.json": JSON.stringify(summaryJsonSchema(), null, 2) + "\n",
  "docs/schemastore.json": JSON.stringify(catalogEntry(), null, 2) + "\n",
  "docs/plan-reference.md": planReference(),
};

const check = Deno.args.includes("--check");
const stale = Object.entries(GENERATED).filter(([path, text]) => read(path) !== text);
for (const [path, text] of stale) {
  if (!check) Deno.writeTextFileSync(new URL(path, root), text);
  console.log(`${path}: ${check ? "out of date, run `deno task schema`" : "written"}`);
}
if (check && stale.length > 0) Deno.exit(1);

/** Returns the entry for the SchemaStore catalog, in which editors look up schemas. */
function catalogEntry(): object {
  const { pathname } = new URL(REPOSITORY);
  return {
    name: "rehearse",
    description: "Load-test plan of rehearse",
    fileMatch: ["rehearse.yaml", "rehearse.yml", "*.rehearse.yaml", "*.rehearse.yml"],
    url: `https://raw.githubusercontent.com${pathname}/main/docs/plan.schema.json`,
    versions: { [VERSION]: PLAN_SCHEMA_URL },
  };
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(new URL(path, root));
  } catch {
    return undefined;
  }
}
