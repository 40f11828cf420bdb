import { join } from "@std/path";
import { OutputError, systemMessage } from "../../base/errors.ts";
import { count } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import LOG from "../../demo/sample/access.log" with { type: "text" };
import HAR from "../../demo/sample/session.har" with { type: "text" };
import type { Args } from "../command/command.ts";
import { commandLine, printNext } from "../output/next_step.ts";
import { openOutputFile } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";

/**
 * Writes an access log and a HAR of the demo shop to a folder, which is created if it does not
 * exist. Throws OutputError if a file already exists or cannot be written.
 */
export function writeSamples(folder: string, args: Args, io: Io): void {
  try {
    Deno.mkdirSync(folder, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OutputError(`cannot write to ${folder}: it is a file; choose a folder`);
    }
    throw new OutputError(`cannot write ${folder}: ${systemMessage(error)}`, { cause: error });
  }
  const [log, har] = ["access.log", "session.har"].map((name) => join(folder, name));
  for (const path of [log, har]) refuseExisting(path);
  openOutputFile(log, []).write(LOG);
  openOutputFile(har, []).write(HAR);
  const requests = count(LOG.split("\n").length - 1);
  io.stdout.write(
    safeText(`Wrote ${log} (${requests} requests in ten minutes) and ${har} (a session)`) + "\n",
  );
  printNext(
    `${commandLine("convert", log, "-o", "plan.yaml")}, or ${commandLine("init", log)}`,
    args,
    io,
  );
}

function refuseExisting(path: string): void {
  try {
    Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  throw new OutputError(`cannot write ${path}: the file exists; choose another folder`);
}
