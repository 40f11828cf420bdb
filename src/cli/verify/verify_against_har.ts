import type { Plan } from "../../plan/schema/plan.ts";
import { verifyPlan } from "../../verify/verify_plan.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { fileReader } from "../input/plan_files.ts";
import { readHarFile } from "../input/read_har_file.ts";
import { verificationText } from "./verification_text.ts";
import { formatFindings } from "./format_findings.ts";

/** Reports whether the plan at `path` replays the recording. Returns the exit code. Throws InputError. */
export async function verifyAgainstHar(
  plan: Plan,
  path: string,
  har: string,
  load: { readonly users: number; readonly iterations: number },
  args: Args,
  io: Io,
): Promise<number> {
  const found = await verifyPlan(plan, await readHarFile(har, io), {
    ...load,
    readFile: fileReader(path),
    readEnv: (name) => Deno.env.get(name),
  }, har);
  const loadPage = async () => (await import("./pages.ts")).verificationPage;
  io.stdout.write(await formatFindings(found, args, verificationText, loadPage));
  return found.verdict === "failed" ? 1 : 0;
}
