/**
 * Reports whether a thread can be started from `module`. Call it first: without read permission for
 * the module, Deno prints an error that cannot be suppressed. A compiled binary contains its
 * modules and needs no permission.
 */
export async function canStartThread(module: URL): Promise<boolean> {
  if (module.protocol !== "file:" || Deno.build.standalone) return true;
  const { state } = await Deno.permissions.query({ name: "read", path: module });
  return state === "granted";
}
