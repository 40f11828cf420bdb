import { exportK6 } from "../../src/export/k6.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";

const FOLDER = new URL("../../testdata/export/k6/", import.meta.url);

/** A plan and the file that contains its reviewed k6 script. */
export interface Golden {
  readonly name: string;
  readonly plan: URL;
  readonly script: URL;
}

/** Lists the plans in `testdata/export/k6`, and the plan that uses every key. */
export function goldens(): Golden[] {
  const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
    .filter((name) => name.endsWith(".yaml")).map((name) => name.replace(/\.yaml$/, "")).sort();
  const script = (name: string) => new URL(`${name}.js`, FOLDER);
  return [
    ...names.map((name) => ({ name, plan: new URL(`${name}.yaml`, FOLDER), script: script(name) })),
    {
      name: "every_key",
      plan: new URL("../../plans/every_key.yaml", FOLDER),
      script: script("every_key"),
    },
  ];
}

/** Exports a plan to k6 and returns the text of the script. */
export async function goldenScript({ name, plan }: Golden): Promise<string> {
  const loaded = loadPlan(await Deno.readTextFile(plan));
  return exportK6(loaded.plan!, {
    plan: `${name}.yaml`,
    version: "VERSION",
    filePath: (path) => `./${path}`,
  }).text;
}
