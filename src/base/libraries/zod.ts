/** The parts of `zod` that this project uses. Deno loads them from one file. */
export * as z from "./zod_bundle.js";
