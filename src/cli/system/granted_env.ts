/**
 * Returns the value of an environment variable, or undefined if it is not set or the permission to
 * read it is missing.
 */
export function readGrantedEnv(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) : undefined;
}
