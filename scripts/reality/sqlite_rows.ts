import { DatabaseSync } from "node:sqlite";

/**
 * Counts rows of an SQLite database. `tables` maps the name of each count to a table, optionally
 * with a join or a condition, such as `tea where name = 'Darjeeling'`.
 */
export function countSqliteRows<Name extends string>(
  path: string,
  tables: Readonly<Record<Name, string>>,
): Record<Name, number> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const counts = Object.entries<string>(tables).map(([name, table]) => [
      name,
      Number(database.prepare(`select count(*) as count from ${table}`).get()!.count),
    ]);
    return Object.fromEntries(counts);
  } finally {
    database.close();
  }
}
