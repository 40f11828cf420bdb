/**
 * Reports whether a thread can be started from a module of this program. Without read permission
 * for the module, Deno would print an error itself. A compiled binary contains its modules.
 */
export async function canStartThread(module: URL): Promise<boolean> {
  if (module.protocol !== "file:" || Deno.build.standalone) return true;
  const { state } = await Deno.permissions.query({ name: "read", path: module });
  return state === "granted";
}
