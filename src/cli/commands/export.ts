import { basename, dirname, isAbsolute, join, relative } from "@std/path";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { VERSION } from "../../base/release.ts";
import { safeSnippet, shellWord } from "../../base/safe_text.ts";
import { needsAction } from "../../convert/notes/notes.ts";
import { exportK6 } from "../../export/k6.ts";
import { filesRead } from "../../plan/request_texts.ts";
import { type Command, EXIT } from "../command/command.ts";
import { choice, command, fileToWrite, text, toggle } from "../command/options.ts";
import { readPlan } from "../input/read_documents.ts";
import { isNamed, printNext, printNotes } from "../output/messages.ts";
import { openOutput } from "../output/output_file.ts";

export const exportCommand: Command = command({
  name: "export",
  usage: "k6 PLAN [OPTIONS]",
  takes: "files",
  first: ["k6"],
  expects: { what: "a target and a plan", min: 0, max: Infinity },
  about: [
    "Writes a plan as a k6 script with the same requests, extracted values, checks, thresholds and " +
    "executors, so that a team that uses k6 can run it. The script is meant to be read and edited. `-` " +
    "is standard input.",
    "Warnings, and a comment at the start of the script, list what k6 does differently. " +
    "docs/k6-export.md explains the script and the warnings.",
    "Exit codes: 0 the script was written; 1 the plan is invalid or could not be read, or the script " +
    "could not be written; 2 the command line is invalid; 3 a warning needs action (with --strict).",
  ],
  options: {
    output: fileToWrite({
      short: "o",
      default: "-",
      help: "Write the script to FILE (- for standard output)",
    }),
    env: text({ short: "e", value: "NAME", help: "Apply the plan's overlay NAME" }),
    warnings: choice(["text", "json"], {
      default: "text",
      help: "Format of the warnings on standard error",
    }),
    strict: toggle({ help: "Exit with code 3 if a warning needs action" }),
  },
  needs: [],
  examples: {
    "rehearse export k6 plan.yaml -o script.js": "Write a k6 script.",
    "rehearse convert session.har | rehearse export k6 - > script.js":
      "Convert a recording to a k6 script.",
  },
  async run({ output: to, env, warnings, strict, args }, io) {
    const [name, path, ...more] = args.positionals;
    checkTarget(name);
    if (path === undefined || more.length > 0) {
      throw new UsageError(
        `expected one plan to export (- for standard input), but got ${
          Math.max(0, args.positionals.length - 1)
        }: write \`rehearse export ${name} PLAN\``,
      );
    }
    const plan = await readPlan(path, env, io);
    if (plan === undefined) return EXIT.FAILED;
    const folder = path === "-" ? "." : dirname(path);
    const files = filesRead(plan).map((file) => join(folder, file));
    using output = openOutput(to, [path, ...files], io);
    const { text, notes } = exportK6(plan, {
      plan: path === "-" ? "standard input" : basename(path),
      version: VERSION,
      filePath: (file) => relativePath(folder, file, isNamed(to) ? dirname(to) : "."),
    });
    await output.write(text);
    printNotes(notes, warnings, io);
    if (isNamed(to)) {
      const needsBaseUrl = text.includes('env("BASE_URL")');
      const base = needsBaseUrl ? ["-e", "BASE_URL=http://127.0.0.1:8080"] : [];
      const command = ["k6", "run", ...base, to].map(shellWord).join(" ");
      printNext(`\`${command}\``, args, io);
    }
    return strict && needsAction(notes) ? EXIT.STRICT : EXIT.OK;
  },
});

function checkTarget(name: string | undefined): void {
  if (name === "k6") return;
  if (name === undefined) {
    throw new UsageError("no target: expected k6, as in `rehearse export k6 plan.yaml`");
  }
  const hint = didYouMean(name, ["k6"]);
  throw new UsageError(`cannot export to ${safeSnippet(name)}: expected k6${hint && `; ${hint}`}`);
}

function relativePath(planFolder: string, file: string, outputFolder: string): string {
  if (isAbsolute(file)) return file;
  const path = relative(outputFolder, join(planFolder, file)).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}
