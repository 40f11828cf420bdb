import { convertHar } from "../../../src/convert/from_har.ts";
import { noteText } from "../../../src/cli/output/print_notes.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";

const ROOT = new URL("../../../", import.meta.url);
const GOLDEN = new URL("testdata/har/golden/", ROOT);

/** Folders of the recordings that have a golden plan: in this checkout, and next to it. */
export const RECORDINGS = {
  labelled: new URL("testdata/har/labelled/", ROOT),
  shared: new URL("../shared/data/har/", ROOT),
};

/** Recordings whose licence does not allow copies of their content: the golden file has only a digest. */
const NOT_COPIED = /^k6_/;

/** A recording and the file that holds its plan. */
export interface Golden {
  readonly name: string;
  readonly har: URL;
  readonly golden: URL;
}

/** Lists the recordings of a folder by name; an empty list if the folder does not exist. */
export function goldensOf(set: keyof typeof RECORDINGS): Golden[] {
  const names: string[] = [];
  try {
    for (const { name } of Deno.readDirSync(RECORDINGS[set])) {
      if (name.endsWith(".har")) names.push(name.slice(0, -4));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names.sort().map((name) => ({
    name,
    har: new URL(`${name}.har`, RECORDINGS[set]),
    golden: new URL(`${set}/${name}.yaml`, GOLDEN),
  }));
}

/** Returns the expected content of the golden file: the plan, then the warnings as comments. */
export async function goldenText({ name, har }: Golden): Promise<string> {
  const file = await Deno.open(har);
  const converted = convertHar(await readHar(file.readable, name), {});
  const warnings = converted.notes.map((note) => `# ${noteText(note)}\n`);
  const plan = printPlan(converted.plan, converted.header);
  const text = `${plan}\n${warnings.join("")}# ${converted.summary}\n`;
  return NOT_COPIED.test(name)
    ? `# SHA-256 of the plan and its warnings: ${await digest(text)}\n`
    : text;
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toHex();
}
