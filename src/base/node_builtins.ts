// A static import of a Node module takes 10 to 20 ms, because Deno also loads its dependencies.
// Most runs do not use these modules, so each function loads its module on the first call.

/** Returns the module `node:zlib`. */
export function nodeZlib(): typeof import("node:zlib") {
  // deno-lint-ignore no-process-global
  return process.getBuiltinModule("node:zlib");
}

/** Returns the module `node:crypto`. */
export function nodeCrypto(): typeof import("node:crypto") {
  // deno-lint-ignore no-process-global
  return process.getBuiltinModule("node:crypto");
}
