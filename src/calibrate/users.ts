import { InputError } from "../base/errors.ts";
import { readRows } from "../engine/data/data_source.ts";
import { call, type Expression } from "../plan/expressions/expression.ts";
import { listRequests, mapSteps } from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { mapRequestTexts, type RequestText, requestTexts } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { PROOF } from "./budget.ts";
import { isWeak } from "./learned_pairs.ts";
import { replaceLiteral } from "./literal_edit.ts";
import { joinTemplate } from "../plan/text/template.ts";

/** Name of the data source that `withUsers` adds to a plan. */
const SOURCE = "users";

/**
 * Gives each user of a plan a row of a CSV file with logins. `readFile` reads a file by its path
 * relative to the plan. Throws InputError if the file has fewer than two rows.
 */
export function withUserFile(
  plan: Plan,
  path: string,
  readFile: (path: string) => Uint8Array,
): Plan {
  const rows = readRows({ type: "csv", path }, readFile);
  if (rows.length >= PROOF.users) return withUsers(plan, path, Object.keys(rows[0]));
  throw new InputError("two users need two logins, but the file has only one", { source: path });
}

/**
 * Gives each user of a plan a row of a CSV file. Each column replaces the recorded value of the
 * first field with its name wherever the plan sends it: a password, or a user name also in paths and
 * messages. A plain word, such as `admin`, is replaced only in fields that consist of it. `path` is
 * relative to the plan. Throws InputError if no request sends a field with the name of a column.
 */
export function withUsers(plan: Plan, path: string, columns: readonly string[]): Plan {
  const requests = Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  const fields = requests.flatMap((request) => requestTexts(request).filter(isField));
  const edits = columns.map((column) => {
    const field = fields.find(({ name }) => bareName(name) === bareName(column));
    if (field !== undefined) return editOf(field.template, column);
    const names = [...new Set(fields.map(({ name }) => name))].slice(0, 12).join(", ");
    throw new InputError(
      `no request of the plan sends a field ${JSON.stringify(column)}: name the columns as the ` +
        `fields of the login; the plan sends ${names || "no fields"}`,
      { source: path },
    );
  });
  const changed = (step: Step): Step =>
    step.request === undefined
      ? step
      : { ...step, request: edits.reduce((request, edit) => edit(request), step.request) };
  return {
    ...plan,
    data: { ...plan.data, [SOURCE]: { type: "csv", path } },
    scenarios: Object.fromEntries(
      Object.entries(plan.scenarios).map(([name, scenario]) => [
        name,
        { ...scenario, flow: mapSteps(scenario.flow, changed) },
      ]),
    ),
  };
}

function isField({ kind, name, template }: RequestText): boolean {
  return /^(?:form|json|multipart|query)$/.test(kind) && name !== "" && template !== "";
}

/** Returns the innermost part of a name: `email` for `user[email]`. */
function bareName(name: string): string {
  return (/[\p{L}\p{N}_-]+(?=\W*$)/u.exec(name)?.[0] ?? name).toLowerCase();
}

function editOf(template: string, column: string): (request: Request) => Request {
  const expression: Expression = { kind: "data", source: SOURCE, column };
  if (!template.includes("${") && !isWeak(template)) {
    const written = { expression, encoded: call("url_encode", expression), numeric: false };
    return (request) => replaceLiteral(request, { value: template, agrees: undefined }, written);
  }
  const written = joinTemplate([expression])!;
  return (request) =>
    mapRequestTexts(
      request,
      (text) => isField(text) && text.template === template ? written : text.template,
    );
}
