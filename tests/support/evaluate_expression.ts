import { InputError } from "../../src/base/errors.ts";
import { random } from "../../src/base/random.ts";
import { compileExpression } from "../../src/engine/flow/expressions.ts";
import type { Scope } from "../../src/engine/flow/scope.ts";
import type { Vu } from "../../src/engine/vu/vu.ts";
import { parseTemplate } from "../../src/plan/text/template.ts";

/** Values that an expression can read. */
export interface ExpressionInputs {
  /** Variables of the flow by name. */
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly vars?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Compiles and evaluates an expression. `source` does not include the enclosing `${…}`. */
export function evaluateExpression(source: string, inputs: ExpressionInputs = {}): unknown {
  const [part, ...more] = parseTemplate(`\${${source}}`);
  if (part.kind === "text" || more.length > 0) throw new Error("not a single expression");
  const { variables = {}, vars = {}, env = {} } = inputs;
  const known = (values: Readonly<Record<string, string>>) => (name: string) => {
    if (Object.hasOwn(values, name)) return values[name];
    throw new InputError(`unknown: ${name}`, { source: "test" });
  };
  const names = Object.keys(variables);
  const scope = {
    scenario: "main",
    variables: new Map(names.map((name, i) => [name, i])),
    sources: new Map(),
    constants: {
      env: known(env),
      optionalEnv: (name: string) => env[name],
      vars: known(vars),
      secrets: known({}),
      hide: (text: string) => text,
    },
  } as unknown as Scope;
  const vu = {
    id: 3,
    iteration: 0,
    unique: "u1",
    random: random(1),
    variables: names.map((name) => variables[name]),
    namedUuid: (name: string) => `uuid of ${name}`,
  } as unknown as Vu;
  return compileExpression(part, scope).render(vu);
}
