import { operationName } from "../../traffic/session/operation_name.ts";
import { isWrite, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import { pathWords, resourceWords } from "./resource_names.ts";

/**
 * Matches a GraphQL document up to the first field of its first operation. Group 1 is the type of
 * the operation, and group 2 the name of the field, not its alias.
 */
const GRAPHQL =
  /^(?:\s|#[^\n]*\n)*(query|mutation|subscription)?\b[^{]{0,4000}\{\s*(?:\w+\s*:\s*)?(\w+)/;

/** Words in operation names, such as `query` and `fetch`, that do not name a resource. */
const VERBS = new Set("query mutation detail find fetch load submit list".split(" "));

const cache = new WeakMap<RecordedCall, readonly string[]>();

/**
 * Returns the words that name the resources of a call. If the request names an operation, as in
 * GraphQL, JSON-RPC and SOAP, these are the words of the operation, because all operations of such
 * an API have the same path. Otherwise, they are the words of the path.
 */
export function callWords(call: RecordedCall): readonly string[] {
  const known = cache.get(call);
  if (known !== undefined) return known;
  const fields = graphqlFields(call).map(({ name }) => name);
  const operation = operationName(call, ({ recorded }) => recorded) ?? "";
  const words = [...fields.length > 0 ? fields : [operation]].flatMap(resourceWords)
    .filter((word) => !VERBS.has(word));
  const found = words.length > 0 ? words : pathWords(call);
  cache.set(call, found);
  return found;
}

/**
 * Reports whether a call may change data. Returns false for GraphQL queries, although they use
 * POST.
 */
export function mayChangeData(call: RecordedCall): boolean {
  const fields = graphqlFields(call);
  return isWrite(call) && (fields.length === 0 || fields.some(({ type }) => type === "mutation"));
}

/** Returns the first field of each GraphQL document in the body of a call. */
function graphqlFields({ body }: RecordedCall): { readonly type: string; readonly name: string }[] {
  if (body?.kind !== "json") return [];
  const items: readonly unknown[] = Array.isArray(body.tree) ? body.tree : [body.tree];
  return items.flatMap((item) => {
    const query = (item as { readonly query?: unknown } | null)?.query;
    if (!(query instanceof RequestField)) return [];
    const found = GRAPHQL.exec(query.value.slice(0, 10_000));
    return found === null ? [] : [{ type: found[1] ?? "query", name: found[2] }];
  });
}
