import type { Find } from "./find.ts";

/** The values of a header, a value for each time it was sent. */
export function findHeader(header: string): Find {
  const name = header.toLowerCase();
  return ({ reply }) => reply.headers.filter(([known]) => known === name).map(([, value]) => value);
}
