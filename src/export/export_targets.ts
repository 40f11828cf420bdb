import type { ExportTarget } from "./target/export_target.ts";

/** All tools to which plans can be exported, by their name on the command line. */
export const EXPORT_TARGETS = {
  k6: {
    title: "k6",
    extension: "js",
    runCommand: (path, needsBaseUrl) => [
      ...["k6", "run"],
      ...needsBaseUrl ? ["-e", "BASE_URL=http://127.0.0.1:8080"] : [],
      path,
    ],
    load: async () => (await import("./k6/export_k6.ts")).exportK6,
  },
} as const satisfies Readonly<Record<string, ExportTarget>>;

/** Name of a tool to which plans can be exported. */
export type ExportTargetName = keyof typeof EXPORT_TARGETS;
