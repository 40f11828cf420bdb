import type { Plan } from "./schema/plan.ts";
import { listRequests } from "./steps.ts";
import { formatExpression, parseTemplate } from "./template.ts";
import { withoutUserInfo } from "./user_info.ts";

/** Where a plan sends its requests. */
export interface Targets {
  /** Origins, such as `https://shop.example:8443`, in the order of the plan; `${…}` stands where a name is known only at run time. */
  readonly origins: readonly string[];
  /** The name of the first request whose URL is relative while the plan has no base URL. */
  readonly firstWithoutBase: string | undefined;
}

/** The origins of a plan's requests. `readEnv` gives the environment's variables. */
export function targets(plan: Plan, readEnv: (name: string) => string | undefined): Targets {
  const resolve = resolver(plan.variables ?? {}, readEnv);
  const base = plan.defaults?.http?.base_url;
  const origins = new Set<string>();
  let firstWithoutBase: string | undefined;
  for (const { flow } of Object.values(plan.scenarios)) {
    for (const { url, name = withoutUserInfo(url) } of listRequests(flow)) {
      const origin = urlOrigin(resolve(url)) ?? (base && urlOrigin(resolve(base)));
      if (origin) origins.add(origin);
      else firstWithoutBase ??= name;
    }
  }
  return { origins: [...origins], firstWithoutBase: firstWithoutBase };
}

function urlOrigin(url: string): string | undefined {
  return /^(https?:\/\/|\$\{)[^/?#]*/i.exec(withoutUserInfo(url))?.[0];
}

/** A value by its name. */
type Lookup = (name: string) => string | undefined;

/** Puts in what is known before the start; the rest stays as the plan writes it. */
function resolver(variables: NonNullable<Plan["variables"]>, readEnv: Lookup) {
  const none: Lookup = () => undefined;
  const variable: Lookup = (name) =>
    Object.hasOwn(variables, name)
      ? fill(String(variables[name]), { env: readEnv, vars: none })
      : undefined;
  return (template: string) => fill(template, { env: readEnv, vars: variable });
}

function fill(template: string, known: Readonly<Record<"env" | "vars", Lookup>>): string {
  return parseTemplate(template).map((part) => {
    if (part.kind === "text") return part.text;
    const value = part.kind === "env" || part.kind === "vars"
      ? known[part.kind](part.name)
      : undefined;
    return value ?? formatExpression(part);
  }).join("");
}
