import type { Find } from "./find.ts";

/**
 * The values of a header, a value for each time it was sent; with an expression, what its first group
 * matches in each.
 */
export function findHeader(header: string, expression: string | undefined): Find {
  const name = header.toLowerCase();
  const pattern = expression === undefined ? undefined : new RegExp(expression);
  return ({ headers }) =>
    headers.filter(([known]) => known === name)
      .map(([, value]) => pattern ? pattern.exec(value)?.[1] : value)
      .filter((value) => value !== undefined);
}
