import {
  operationName,
  type SelectingParameter,
  selectingParameters,
  SELECTOR_NAMES,
} from "./operation_name.ts";
import { type RecordedCall, requestName } from "./recorded_call.ts";
import type { RequestField } from "./request_field.ts";

/**
 * Returns the names of the calls, in the order of the calls. A name is `METHOD path`. If possible, it is followed by text
 * that distinguishes calls with the same method and path: a GraphQL, JSON-RPC or SOAP operation, or
 * a parameter such as `action=save`. `textOf` formats a field and hides credentials and extracted
 * values.
 */
export function requestNames(
  calls: readonly RecordedCall[],
  textOf: (field: RequestField) => string,
): readonly string[] {
  const unnamed: number[] = [];
  const parameters = new Map<number, readonly SelectingParameter[]>();
  const names = calls.map((call, i) => {
    const name = requestName(call, textOf);
    const operation = operationName(call, textOf);
    if (operation !== undefined) return `${name} ${operation}`;
    unnamed.push(i);
    const selecting = selectingParameters(call, textOf);
    if (selecting.length > 0) parameters.set(i, selecting);
    return name;
  });
  if (parameters.size === 0) return names;
  for (const [name, same] of Map.groupBy(unnamed, (i) => names[i])) {
    const selector = distinguishing(same.map((i) => parameters.get(i) ?? []));
    for (const i of same) {
      const found = parameters.get(i)?.find((parameter) => parameter.name === selector);
      if (found !== undefined) names[i] = `${name} ${found.name}=${found.text}`;
    }
  }
  return names;
}

/**
 * Returns the first parameter, in order of preference, whose values differ between the calls. The
 * absence of the parameter counts as a value. Returns undefined if there is no such parameter.
 */
function distinguishing(calls: readonly (readonly SelectingParameter[])[]): string | undefined {
  const names = new Set(calls.flatMap((parameters) => parameters.map(({ name }) => name)));
  return SELECTOR_NAMES.find((name) =>
    names.has(name) &&
    new Set(calls.map((parameters) => parameters.find((one) => one.name === name)?.text)).size > 1
  );
}
