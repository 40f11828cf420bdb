import { runTool, type Service, startService, until } from "./service.ts";

const PROGRAMS = "/usr/lib/postgresql/15/bin";

/** Runs a program of PostgreSQL in `cwd`. It refuses to be root. */
function asPostgres(command: readonly string[], cwd: string): Promise<string> {
  return runTool("runuser", ["-u", "postgres", "--", ...command], { cwd });
}

/**
 * Starts PostgreSQL on a port of 127.0.0.1, where its user `postgres` needs no password. Its files
 * are in `data/db`, which is made if it does not exist.
 */
export async function startPostgres(data: string, port: number): Promise<Service> {
  const folder = `${data}/db`;
  Deno.mkdirSync(folder, { recursive: true });
  await runTool("chmod", ["711", data]);
  await runTool("chown", ["-R", "postgres", folder]);
  if ([...Deno.readDirSync(folder)].length === 0) {
    const options = ["-D", folder, "-A", "trust", "-E", "UTF8", "--no-sync"];
    await asPostgres([`${PROGRAMS}/initdb`, ...options], folder);
  }
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
  const server = [`${PROGRAMS}/postgres`, "-D", folder, "-p", String(port)];
  const command = [...server, ...settings.flatMap((setting) => ["-c", setting])];
  const service = await startService(["runuser", "-u", "postgres", "--", ...command], {
    cwd: data,
    env: {},
    port,
  });
  await until(async () => await query(port, "select 1") === "1\n");
  return service;
}

/** Returns the result of SQL: one row a line, the columns separated by `|`. */
export function query(port: number, sql: string, database = "postgres"): Promise<string> {
  const address = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "-d", database];
  return runTool("psql", [...address, "-v", "ON_ERROR_STOP=1", "-tA"], { input: sql });
}

/** Returns the number that each SQL query results in. */
export async function countPostgresRows(
  port: number,
  queries: Readonly<Record<string, string>>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [what, sql] of Object.entries(queries)) counts[what] = Number(await query(port, sql));
  return counts;
}

/** Returns the SQL that counts all rows that were ever created in a table. */
export function created(table: string): string {
  return `select case when is_called then last_value else 0 end from ${table}_id_seq`;
}
