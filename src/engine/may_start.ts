/**
 * Whether a thread can be started from a module of ours: the sandbox may not let it be read, and
 * Deno would say so on standard error by itself. A compiled binary holds its modules.
 */
export async function mayStart(module: URL): Promise<boolean> {
  if (module.protocol !== "file:" || Deno.build.standalone) return true;
  const { state } = await Deno.permissions.query({ name: "read", path: module });
  return state === "granted";
}
