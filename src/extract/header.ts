import type { Find } from "./find.ts";

/**
 * Finds the values of a header, one for each occurrence. With an expression, finds the match of its
 * first group in each value.
 */
export function findHeader(header: string, expression: string | undefined): Find {
  const name = header.toLowerCase();
  const pattern = expression === undefined ? undefined : new RegExp(expression);
  return ({ headers }) =>
    headers.filter(([known]) => known === name)
      .map(([, value]) => pattern ? pattern.exec(value)?.[1] : value)
      .filter((value) => value !== undefined);
}
