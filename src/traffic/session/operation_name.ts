import { type RecordedCall, requestName } from "./recorded_call.ts";
import { RequestField } from "./request_field.ts";
import { isRpcRequest } from "./body_fields.ts";

/** Formats a field for display. Hides credentials and extracted values. */
export type TextOf = (field: RequestField) => string;

const MOST_NAMES = 3;
const LONGEST_NAME = 60;

/** Returns the GraphQL, JSON-RPC or SOAP operations of a request, or undefined. */
export function operationName(call: RecordedCall, textOf: TextOf): string | undefined {
  const named = operations(call, textOf);
  if (named.length === 0) return undefined;
  const unique = [...new Set(named)];
  const more = unique.length > MOST_NAMES ? ` and ${unique.length - MOST_NAMES} more` : "";
  return unique.slice(0, MOST_NAMES).join(" + ") + more;
}

function operations(call: RecordedCall, textOf: TextOf): readonly string[] {
  const { body, fields } = call;
  if (body?.kind === "json") {
    const items = Array.isArray(body.tree) ? body.tree : [body.tree];
    const named = items.map((item) => jsonOperation(item, textOf));
    if (named.length > 0 && named.every((name) => name !== undefined)) return named;
  }
  const [operation, query] = ["operationName", "query"]
    .map((name) => fields.find((field) => isParameter(field) && field.name === name));
  const graph = graphOperation(operation, query, textOf);
  if (graph !== undefined) return [graph];
  const soap = fields.find(({ kind, name }) => kind === "header" && /^soapaction$/i.test(name));
  const action = soap && plainText(soap, textOf)?.replace(/^"|"$/g, "").split(/[/#:]/).at(-1);
  return action ? [action] : [];
}

function isParameter({ kind }: RequestField): boolean {
  return kind === "query" || kind === "form" || kind === "multipart";
}

function jsonOperation(tree: unknown, textOf: TextOf): string | undefined {
  if (isRpcRequest(tree)) return plainText(tree.method, textOf);
  const { operationName, query } = members(tree);
  return graphOperation(operationName, query, textOf);
}

function graphOperation(name: unknown, query: unknown, textOf: TextOf): string | undefined {
  if (name instanceof RequestField && name.value !== "") return plainText(name, textOf);
  if (!(query instanceof RequestField)) return undefined;
  const found = GRAPHQL.exec(query.value.slice(0, 10_000));
  if (found === null) return undefined;
  const [, given, type = "query", first] = found;
  return given ?? `${type} ${first}`;
}

const TYPE = "(?:query|mutation|subscription)";
const NAME = "[A-Za-z_]\\w{0,59}";

/** Matches a GraphQL document up to the name of its first operation, or its first field. */
const GRAPHQL = new RegExp(
  `^(?:\\s|#[^\\n]*\\n)*(?:${TYPE}\\s+(${NAME})\\s*[({@]|(${TYPE})?\\s*(?:\\([^)]*\\)\\s*)?\\{\\s*(${NAME})\\b)`,
);

/** Names of parameters that may select the operation of an endpoint, in order of preference. */
const SELECTOR_NAMES: readonly string[] = [
  ...["action", "_action", "do", "act", "op", "operation", "cmd", "command", "task", "func"],
  ...["function", "method", "event", "wc-ajax", "rest_route", "route", "__EVENTTARGET"],
  ...["javax.faces.source", "jakarta.faces.source", "_method"],
];

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/** Returns parameters such as `action=save`, if they are short and readable, and no secrets. */
export function selectingParameters(
  { body, fields }: RecordedCall,
  textOf: TextOf,
): ReadonlyMap<string, string> {
  const tree = body?.kind === "json" ? members(body.tree) : {};
  const named = new Map(
    fields.filter(isParameter).toReversed().map((field) => [field.name, field]),
  );
  return new Map(SELECTOR_NAMES.flatMap((name) => {
    const field = named.get(name) ?? tree[name];
    const isText = field instanceof RequestField && !field.numeric;
    const text = isText ? plainText(field, textOf) : undefined;
    return text === undefined ? [] : [[name, text] as const];
  }));
}

function members(tree: unknown): Readonly<Record<string, unknown>> {
  return typeof tree === "object" && tree !== null && !(tree instanceof RequestField)
    ? tree as Record<string, unknown>
    : {};
}

function plainText(field: RequestField, textOf: TextOf): string | undefined {
  const { value } = field;
  const isWord = value.length <= LONGEST_NAME && /^[\w$"][\w .:;/#$"-]*$/.test(value) &&
    /[A-Za-z]/.test(value);
  return isWord && textOf(field) === field.recorded ? value : undefined;
}

/**
 * Names calls `METHOD path` and, if this distinguishes them, an operation or a parameter such as
 * `action=save`.
 */
export function requestNames(
  calls: readonly RecordedCall[],
  textOf: TextOf,
): readonly string[] {
  const named = calls.map((call) => {
    const operation = operationName(call, textOf);
    const name = requestName(call, textOf);
    return operation === undefined
      ? { name, parameters: selectingParameters(call, textOf) }
      : { name: `${name} ${operation}`, parameters: NO_PARAMETERS };
  });
  const selectors = new Map<string, string | undefined>();
  for (const [name, same] of Map.groupBy(named, ({ name }) => name)) {
    const isTelling = (key: string) =>
      new Set(same.map(({ parameters }) => parameters.get(key))).size > 1;
    selectors.set(name, same.length > 1 ? SELECTOR_NAMES.find(isTelling) : undefined);
  }
  return named.map(({ name, parameters }) => {
    const selector = selectors.get(name) ?? "";
    const text = parameters.get(selector);
    return text === undefined ? name : `${name} ${selector}=${text}`;
  });
}
