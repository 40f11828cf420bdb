import type { ExportNoteCode } from "../../convert/notes/export_codes.ts";
import type { Note } from "../../convert/notes/note.ts";
import type { Helper } from "./helper.ts";
import { memberOf, Names, stringLiteral } from "./javascript.ts";
import { REQUEST_HELPERS } from "./request_helpers.ts";
import { RESPONSE_HELPERS } from "./response_helpers.ts";
import { SOCKET_HELPERS } from "./socket_helpers.ts";
import { VALUE_HELPERS } from "./value_helpers.ts";
import type { Plan } from "../../plan/schema/plan.ts";

const ALL = { ...REQUEST_HELPERS, ...RESPONSE_HELPERS, ...SOCKET_HELPERS, ...VALUE_HELPERS };

/** Name of a function that a script can define. */
type HelperName = keyof typeof ALL;

/** All functions that a script can define. The script defines them in this order. */
const HELPERS: Readonly<Record<HelperName, Helper>> = ALL;

/** Names that the variables of a plan cannot have in a script. */
const TAKEN_NAMES: readonly string[] = [
  ...Object.keys(ALL),
  ...[
    "select",
    "within",
    "withText",
    "http",
    "check",
    "fail",
    "group",
    "sleep",
    "exec",
    "SharedArray",
    "parseHTML",
  ],
  ...["Counter", "Gauge", "Rate", "Trend", "b64decode", "b64encode", "sha256", "hmac", "res", "r"],
  ...["BASE_URL", "HEADERS", "BOUNDARY", "params", "options", "setup", "teardown", "vars"],
  ...["secrets", "setupData", "requestFailed", "nextStarts", "pauseDue", "jar", "i", "round"],
  ...["end", "item", "value", "element", "row"],
];

/** A note about something that the script does differently from the plan. */
export type ExportNote = Note<ExportNoteCode>;

/**
 * State shared by the functions that write a k6 script: imports, helpers, metrics, names and notes.
 */
export class Script {
  readonly plan: Plan;
  readonly names: Names = new Names(TAKEN_NAMES);
  /** Converts a file path in the plan to a path relative to the script. */
  readonly scriptPath: (path: string) => string;
  /** True if requests record the `request_failed` metric. */
  readonly recordsFailures: boolean;
  /** True if checks have the name of their request as the tag `name`. */
  readonly tagsChecks: boolean;
  readonly #imports = new Map<string, Set<string>>();
  readonly #helpers = new Set<HelperName>();
  readonly #files = new Map<string, string>();
  readonly #notes = new Map<string, ExportNote>();
  readonly #sources = new Map<string, string>();

  constructor(
    plan: Plan,
    scriptPath: (path: string) => string,
    recordsFailures: boolean,
    tagsChecks: boolean,
  ) {
    this.plan = plan;
    this.scriptPath = scriptPath;
    this.recordsFailures = recordsFailures;
    this.tagsChecks = tagsChecks;
    for (const name of Object.keys(plan.data ?? {})) {
      this.#sources.set(name, this.names.take(name, "rows"));
    }
  }

  /** Imports `name` from a k6 module. Returns the name to use in the script. */
  import(module: string, name: string): string {
    const names = this.#imports.get(module) ?? new Set();
    this.#imports.set(module, names.add(name));
    return name === "default" ? wholeName(module) : name;
  }

  /** Adds a helper to the script and returns its name. */
  use(helper: HelperName): string {
    if (this.#helpers.has(helper)) return helper;
    this.#helpers.add(helper);
    const { uses = [], imports = [] } = HELPERS[helper];
    for (const other of uses) this.use(other as HelperName);
    for (const [module, name] of imports) this.import(module, name);
    return helper;
  }

  /** Adds a note, unless an equal note has already been added. */
  note(code: ExportNoteCode, subject: string, message: string): void {
    this.#notes.set(JSON.stringify([code, subject, message]), { code, subject, message });
  }

  /**
   * Returns the name of the script variable that holds the content of a file, as an ArrayBuffer.
   * Declares the variable on first use.
   */
  file(path: string): string {
    let variable = this.#files.get(path);
    if (variable === undefined) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      this.#files.set(path, variable = this.names.take(`${name} file`, "file"));
    }
    return variable;
  }

  /** Returns the name of the variable that holds the rows of a data source. */
  source(name: string): string {
    return this.#sources.get(name) ?? "undefined";
  }

  /** Returns the import statements of the script, sorted by module. */
  importLines(): string[] {
    return [...this.#imports].sort(([a], [b]) => a < b ? -1 : 1).map(([module, names]) => {
      const others = [...names].filter((name) => name !== "default").sort();
      const whole = names.has("default") ? [wholeName(module)] : [];
      const list = others.length === 0 ? [] : [`{ ${others.join(", ")} }`];
      return `import ${[...whole, ...list].join(", ")} from '${module}';`;
    });
  }

  /** Returns the declarations of the variables that hold the contents of files. */
  fileLines(): string[] {
    return [...this.#files].map(([path, variable]) =>
      `const ${variable} = open(${stringLiteral(this.scriptPath(path))}, 'b');`
    );
  }

  /** Returns the JavaScript sources of the helpers that the script uses. */
  helperSources(): string[] {
    const names = Object.keys(HELPERS) as HelperName[];
    return names.filter((name) => this.#helpers.has(name)).map((name) => HELPERS[name].source);
  }

  /** Returns all notes, in the order in which they were added. */
  notes(): ExportNote[] {
    return [...this.#notes.values()];
  }

  /** Returns JavaScript code that reads a value of `variables` or `secrets`. */
  constant(space: "vars" | "secrets", name: string): string {
    return memberOf(space, name);
  }
}

/** Returns the name under which a script imports a whole module. */
function wholeName(module: string): string {
  return module === "k6/execution" ? "exec" : module.slice(module.lastIndexOf("/") + 1);
}
