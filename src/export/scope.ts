import type { Note, NoteCode } from "../convert/notes/notes.ts";
import type { Scenario } from "../plan/kinds/executors.ts";
import { allFlows, listRequests, listSteps } from "../plan/kinds/list_requests.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { HttpDefaults } from "../plan/values/http.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { ThinkTime } from "../plan/values/values.ts";
import { Names, stringLiteral } from "./javascript.ts";

import HELPERS from "./k6_helpers.js" with { type: "text" };

/** The functions of `k6_helpers.js`, each with its comment and the constants that it reads. */
const CHUNKS = HELPERS.split(/\n\n(?=\/\/ |function |async function )/).slice(1).map((source) => ({
  source: source.trim(),
  names: [...source.matchAll(/^(?:async )?function (\w+)|^const (\w+)/gm)]
    .map(([, helper, constant]) => helper ?? constant),
}));

/** Names that scripts import, by module. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  "k6": ["check", "fail", "group", "sleep"],
  "k6/crypto": ["hmac", "sha256"],
  "k6/data": ["SharedArray"],
  "k6/encoding": ["b64decode", "b64encode"],
  "k6/execution": ["exec"],
  "k6/html": ["parseHTML"],
  "k6/http": ["http"],
  "k6/websockets": ["WebSocket"],
};

/** Modules that a script imports as a whole. */
const WHOLE: ReadonlySet<string> = new Set(["k6/execution", "k6/http"]);

/** Names that the variables of a plan cannot have in a script. */
const TAKEN =
  "BASE_URL BOUNDARY HEADERS TIMEOUT all element end i item jar options params pauseDue " +
  "r res root round row secrets setup setupData start teardown value vars visit " +
  "within";

/** State shared by the functions that write a script: names of variables, files and notes. */
export class Script {
  readonly plan: Plan;
  readonly names: Names = new Names([
    ...TAKEN.split(" "),
    ...CHUNKS.flatMap(({ names }) => names),
    ...Object.values(MODULES).flat(),
  ]);
  /** Converts a file path in the plan to a path relative to the script. */
  readonly scriptPath: (path: string) => string;
  readonly notes: Note[] = [];
  readonly #files = new Map<string, string>();
  readonly #sources = new Map<string, string>();

  constructor(plan: Plan, scriptPath: (path: string) => string) {
    this.plan = plan;
    this.scriptPath = scriptPath;
    for (const name of Object.keys(plan.data ?? {})) {
      this.#sources.set(name, this.names.take(name, "rows"));
    }
  }

  /** True if a request of the plan has an extractor, or an assertion other than of the status. */
  get extractsOrAsserts(): boolean {
    return allFlows(this.plan).some((flow) =>
      listRequests(flow).some(({ extract = [], assert = [] }) =>
        extract.length > 0 || assert.some(({ type }) => type !== "status")
      )
    );
  }

  /** Adds a note, unless an equal note has already been added. */
  note(code: NoteCode, subject: string, message: string): void {
    const isKnown = this.notes.some((one) => one.subject === subject && one.message === message);
    if (!isKnown) this.notes.push({ code, subject, message });
  }

  /** Returns the variable that holds the content of a file, as an ArrayBuffer. */
  file(path: string): string {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const variable = this.names.take(`${path.slice(path.lastIndexOf("/") + 1)} file`, "file");
    this.#files.set(path, variable);
    return variable;
  }

  /** Returns the variable that holds the rows of a data source. */
  source(name: string): string {
    return this.#sources.get(name) ?? "[]";
  }

  /** Returns the code that reads a text file at the start of the test. */
  open(path: string): string {
    return `open(${stringLiteral(this.scriptPath(path))})`;
  }

  /** Returns the declarations of the variables that hold the contents of files. */
  fileLines(): string[] {
    return [...this.#files].map(([path, variable]) =>
      `const ${variable} = ${this.open(path).slice(0, -1)}, "b");`
    );
  }
}

export function neededBy(script: string): { imports: string; helpers: string } {
  const helpers = new Set<string>();
  for (let size = -1; size < helpers.size;) {
    size = helpers.size;
    const text = [script, ...helpers].join("\n");
    for (const { source, names } of CHUNKS) {
      if (names.some((name) => uses(text, name))) helpers.add(source);
    }
  }
  const text = [script, ...helpers].join("\n");
  const imports = Object.entries(MODULES).flatMap(([module, names]) => {
    const used = names.filter((name) => uses(text, name)).join(", ");
    if (used === "") return [];
    return [`import ${WHOLE.has(module) ? used : `{ ${used} }`} from "${module}";`];
  });
  const sources = CHUNKS.filter(({ source }) => helpers.has(source)).map(({ source }) => source);
  return { imports: imports.join("\n"), helpers: sources.join("\n\n") };
}

function uses(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w$.])${name}${name === "http" || name === "exec" ? "\\." : "\\("}`)
    .test(code);
}

/** Kind of the flow whose function is being written. */
export type FlowKind = "scenario" | "setup" | "teardown";

/**
 * State shared by the functions that write the steps of a flow. Contains the variables, the
 * statements at the start of an iteration, and the context of the step that is being written.
 */
export class FlowScope {
  readonly script: Script;
  readonly kind: FlowKind;
  /** Name of the scenario, or `setup` or `teardown`. */
  readonly name: string;
  readonly http: HttpDefaults;
  /** True if a step of the flow tests the response of an earlier step. */
  readonly testsResponses: boolean;
  /** Pause between two requests of an iteration. Undefined means no pause. */
  readonly thinkTime: ThinkTime | undefined;
  /** True if the executor of the scenario starts iterations at a rate. */
  readonly isOpen: boolean;
  /** Code for the cookie jar of each request. Undefined if requests use the jar of the VU. */
  jar: string | undefined;
  /** True within a branch of a `parallel` step, and within a `websocket` step. */
  isAsync = false;
  /** True if the function of the flow must be async. */
  needsAsync = false;
  /** WebSockets around the step that is being written, from the outermost to the innermost. */
  readonly sockets: { readonly name: string; readonly variable: string }[] = [];
  /** Variable of the script that holds the row of a data source, by source. */
  readonly rows: Map<string, string> = new Map();
  /** Statements to write at the start of an iteration, by key (see `perIteration`). */
  readonly startLines: Map<string, string> = new Map();
  /** Name in the script of each variable of the flow, by its name in the plan. */
  readonly variables: Map<string, string> = new Map();

  constructor(
    script: Script,
    kind: FlowKind,
    name: string,
    flow: readonly Step[],
    scenario?: Scenario,
  ) {
    this.script = script;
    this.kind = kind;
    this.name = name;
    this.http = script.plan.defaults?.http ?? {};
    this.thinkTime = scenario?.think_time ?? script.plan.defaults?.think_time;
    this.isOpen = scenario !== undefined && "pre_allocated_vus" in scenario;
    const conditions = [...listSteps(flow)].map((step) =>
      step.if?.condition ?? step.while?.condition ?? step.retry?.until
    );
    this.testsResponses = JSON.stringify(conditions).includes('"type":');
    if (this.http.cookies === false) this.jar = "new http.CookieJar()";
  }

  variable(name: string): string {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    const variable = this.script.names.take(name, "value");
    this.variables.set(name, variable);
    return variable;
  }

  /** Calls `write`, which writes asynchronous code. */
  async<Result>(write: () => Result): Result {
    const { isAsync } = this;
    this.isAsync = this.needsAsync = true;
    try {
      return write();
    } finally {
      this.isAsync = isAsync;
    }
  }

  /**
   * Declares a constant at the start of each iteration, and returns its name. Calls with the same
   * `key` share one constant.
   */
  perIteration(key: string, name: string, code: string): string {
    const known = this.startLines.get(key);
    if (known !== undefined) return /^const (\S+) /.exec(known)![1];
    const variable = this.script.names.take(name, "value");
    this.startLines.set(key, `const ${variable} = ${code};`);
    return variable;
  }
}

/** Part of a plan that a script contains only as a comment. The message is the reason. */
export class NotExported extends Error {}
