import type { Issue, Scalar, SchemaNode } from "./schema_node.ts";

/** Result of checking a value, in the same form as in zod. */
export interface Checked {
  /** Undefined if the schema accepts the value. */
  readonly error: { readonly issues: readonly [Issue] } | undefined;
}

/** Checks a scalar. Throws Error if the schema is for maps, for lists or for any JSON value. */
export function safeParse(schema: SchemaNode, value: unknown): Checked {
  const issue = findIssue(schema, value);
  return issue === undefined ? ACCEPTED : { error: { issues: [issue] } };
}

/** Result for each accepted value. All calls share it, because most values are valid. */
const ACCEPTED: Checked = { error: undefined };

/**
 * Returns the first reason why a schema rejects a scalar, or undefined if the schema accepts it.
 */
function findIssue(schema: SchemaNode, value: unknown): Issue | undefined {
  const { options, checks } = schema.def;
  if (options !== undefined) {
    const issue = closestIssue(options, value);
    if (issue !== undefined) return issue;
  } else if (!hasType(schema, value)) return WRONG_TYPE;
  return checks?.find(({ accepts }) => !accepts(value as never))?.issue;
}

const WRONG_TYPE = { code: "invalid_type", message: "Invalid input", continue: false };

/**
 * Returns undefined if one of the schemas accepts the value. Otherwise, if exactly one schema
 * accepts the value's type, returns the issue from that schema. If no schema or several schemas
 * accept the type, returns a general issue.
 */
function closestIssue(options: readonly SchemaNode[], value: unknown): Issue | undefined {
  const issues: Issue[] = [];
  for (const option of options) {
    const issue = findIssue(option, value);
    if (issue === undefined) return undefined;
    if (issue.continue) issues.push(issue);
  }
  return issues.length === 1 ? issues[0] : WRONG_TYPE;
}

function hasType({ def }: SchemaNode, value: unknown): boolean {
  switch (def.type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return Number.isFinite(value);
    case "null":
      return value === null;
    case "enum":
    case "literal":
      return def.values!.includes(value as Scalar);
    default:
      throw new Error(`the schema must accept scalars only, but its type is ${def.type}`);
  }
}
