import type { Readers } from "../flow/constants.ts";

/**
 * Wraps readers so that everything they read is kept in `files` and `env`, to be passed to workers.
 */
export function recordingReaders({ readFile, readEnv }: Readers): {
  readers: Readers;
  files: Map<string, Uint8Array>;
  env: Map<string, string | undefined>;
} {
  const files = new Map<string, Uint8Array>();
  const env = new Map<string, string | undefined>();
  const keep = <T>(map: Map<string, T>, read: (key: string) => T) => (key: string): T => {
    const value = map.get(key) ?? read(key);
    map.set(key, value);
    return value;
  };
  return { readers: { readFile: keep(files, readFile), readEnv: keep(env, readEnv) }, files, env };
}
