import { convertHar } from "../../../src/convert/from_har.ts";
import { noteText } from "../../../src/cli/output/messages.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";

const ROOT = new URL("../../../", import.meta.url);
const GOLDEN = new URL("testdata/har/golden/", ROOT);

/** Folders of the recordings that have a golden plan. */
export const RECORDINGS = {
  labelled: new URL("testdata/har/labelled/", ROOT),
  real: new URL("testdata/har/real/", ROOT),
};

/** A recording and the file that contains its plan. */
export interface Golden {
  readonly name: string;
  readonly har: URL;
  readonly golden: URL;
}

/** Lists the recordings in a folder, sorted by name. */
export function goldensOf(set: keyof typeof RECORDINGS): Golden[] {
  return [...Deno.readDirSync(RECORDINGS[set])].map(({ name }) => name)
    .filter((name) => name.endsWith(".har")).map((name) => name.slice(0, -4)).sort()
    .map((name) => ({
      name,
      har: new URL(`${name}.har`, RECORDINGS[set]),
      golden: new URL(`${set}/${name}.yaml`, GOLDEN),
    }));
}

/**
 * Returns the expected content of the golden file: the plan that `--correlate json` writes, then
 * the warnings as comments.
 */
export async function goldenText({ name, har }: Golden): Promise<string> {
  const file = await Deno.open(har);
  const converted = convertHar(await readHar(file.readable, name), { jsonOnly: true });
  const warnings = converted.notes.map((note) => `# ${noteText(note)}\n`);
  const plan = printPlan(converted.plan, converted.header);
  return `${plan}\n${warnings.join("")}# ${converted.summary}\n`;
}
