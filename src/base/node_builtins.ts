// A static import of a module of Node takes 10 to 20 ms, because Deno also loads the modules that it
// needs. Modules that most runs do not use are therefore loaded at the first call of these functions.

/** Returns `node:zlib`. */
export function nodeZlib(): typeof import("node:zlib") {
  // deno-lint-ignore no-process-global
  return process.getBuiltinModule("node:zlib");
}

/** Returns `node:crypto`. */
export function nodeCrypto(): typeof import("node:crypto") {
  // deno-lint-ignore no-process-global
  return process.getBuiltinModule("node:crypto");
}
