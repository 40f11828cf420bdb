import { parse } from "@std/yaml";
import type { CheckCounts, Finished } from "./report.ts";
import { runProgram } from "./report.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly shell?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly run?: string;
    }[];
  };
}

interface GitLabJob {
  readonly variables: Readonly<Record<string, string>>;
  readonly script: readonly string[];
  readonly artifacts: { readonly paths: readonly string[] };
}

/** Folders and server for checking a CI template. */
interface Place {
  readonly root: string;
  /** Folder for the plans and the reports of the check. */
  readonly folder: string;
  /** URL of a server that responds with 200 to every path. */
  readonly target: string;
}

const PLAN = (threshold: string) =>
  `name: check
scenarios:
  main: { executor: shared-iterations, vus: 1, iterations: 3, flow: [{ request: { url: / } }] }
thresholds:
  http_reqs: ["${threshold}"]
`;
const REPORTS = ["junit.xml", "report.html", "summary.json"];

/**
 * Checks the action by running the steps of `action.yml` in bash as GitHub does. Provides the
 * inputs, the files to which the steps write outputs and summaries, and the path of the action's
 * folder. Skips the step that installs Deno.
 */
export async function checkAction(place: Place, counts: CheckCounts): Promise<void> {
  const { root, folder, target } = place;
  const action = parse(await Deno.readTextFile(`${root}/action.yml`)) as Action;
  await Deno.writeTextFile(`${folder}/good plan.yaml`, PLAN("count==3"));
  await Deno.writeTextFile(`${folder}/bad.yaml`, PLAN("count<3"));
  await Deno.writeTextFile(`${folder}/invalid.yaml`, "scenarios: {}\n");

  const good = await runAction(action, place, {
    "plan": "good plan.yaml",
    "base-url": target,
    "args": "--seed=7\r\n  --run-id\n  <b>&amp\n",
    "reports": "out put",
  });
  counts.check("the action passes if the thresholds pass", good.code === 0, good.text);
  counts.check("the action sets its outputs", good.outputs === "reports=out put\nexit-code=0\n");
  const written = Array.from(Deno.readDirSync(`${folder}/out put`), ({ name }) => name).sort();
  counts.check("the action writes reports", REPORTS.every((name) => written.includes(name)));
  counts.check(
    "the action adds the result to the job's summary",
    /^\n<pre>\n[^<>]*PASSED[^<>]*<\/pre>\n$/.test(good.summary),
    good.summary,
  );

  const bad = await runAction(action, place, { "plan": "bad.yaml", "base-url": target });
  counts.check("the action fails with 99 if a threshold fails", bad.code === 99, bad.text);
  counts.check("the action reports the exit code 99", bad.outputs.endsWith("exit-code=99\n"));
  counts.check("the action annotates a failed threshold", /^::error /m.test(bad.text), bad.text);

  const invalid = await runAction(action, place, { plan: "invalid.yaml" });
  const isNamed = /^::error file=invalid\.yaml,/m.test(invalid.text);
  counts.check("the action rejects an invalid plan", invalid.code === 1 && isNamed, invalid.text);
}

/** Runs the script of the GitLab job in a shell, with `dist/` instead of the JSR package. */
export async function checkGitLab(place: Place, counts: CheckCounts): Promise<void> {
  const { root, folder, target } = place;
  const template = parse(await Deno.readTextFile(`${root}/deploy/gitlab/load-test.yml`));
  const { variables, script, artifacts } = (template as { "load-test": GitLabJob })["load-test"];
  await Deno.writeTextFile(`${folder}/a plan.yaml`, PLAN("count<3"));
  for (
    const [plan, options, expected] of [["good plan.yaml", "--seed 7", 0], ["bad.yaml", "", 99]]
  ) {
    const env = {
      ...variables,
      PLAN: String(plan),
      OPTIONS: String(options),
      BASE_URL: target,
      REHEARSE: `${root}/dist/main.js`,
    };
    const { code, stdout, stderr } = await runProgram(["sh", "-ec", script.join("\n")], {
      cwd: folder,
      env,
    });
    counts.check(`the GitLab job exits with ${expected}`, code === expected, stdout + stderr);
  }
  const written = Array.from(
    Deno.readDirSync(`${folder}/${artifacts.paths[0]}`),
    (file) => file.name,
  );
  counts.check("the GitLab job writes reports", REPORTS.every((name) => written.includes(name)));
}

/**
 * Runs the steps of the action in bash until one fails. Returns the exit code and the output of the
 * last step that ran, and the contents of the files for outputs and summaries.
 */
async function runAction(
  { inputs, runs }: Action,
  { root, folder }: Place,
  given: Readonly<Record<string, string>>,
): Promise<{ code: number; text: string; outputs: string; summary: string }> {
  const files = { GITHUB_OUTPUT: `${folder}/outputs`, GITHUB_STEP_SUMMARY: `${folder}/summary` };
  for (const path of Object.values(files)) await Deno.writeTextFile(path, "");
  const fill = (text: string) =>
    text.replace(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, name) => given[name] ?? inputs[name].default ?? "",
    );
  let last: Finished = { code: 0, stdout: "", stderr: "" };
  for (const { shell, env = {}, run } of runs.steps) {
    if (run === undefined) continue;
    if (shell !== "bash") throw new Error(`the action uses the shell ${shell}`);
    const filled = Object.entries(env).map(([name, text]) => [name, fill(text)]);
    // GitHub starts bash with these options.
    last = await runProgram(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", fill(run)], {
      cwd: folder,
      env: { ...files, GITHUB_ACTION_PATH: root, NO_COLOR: "1", ...Object.fromEntries(filled) },
    });
    if (last.code !== 0) break;
  }
  return {
    code: last.code,
    text: last.stdout + last.stderr,
    outputs: await Deno.readTextFile(files.GITHUB_OUTPUT),
    summary: await Deno.readTextFile(files.GITHUB_STEP_SUMMARY),
  };
}
