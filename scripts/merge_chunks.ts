/** Matches a static import, and a dynamic import, in a bundled file. */
const IMPORT = /(?:from|import)"\.\/([^"]+)"/g;
const DYNAMIC = /import\("\.\/([^"]+)"\)/g;

/** Matches what makes Deno load its support for Node, in a bundled file. */
const NODE = /from"node:|\.process\?\./;
/** That takes as long as to load a file of this size in bytes. */
const NODE_BYTES = 500_000;

/**
 * Changes bundled files so that bundling them again results in at most `most` files, of which
 * `main.js` and each file that is imported dynamically is one. The bundler writes one more file for
 * each set of these files that need the same modules. This function makes sets equal, by imports of
 * files that are not needed, as few bytes as possible. `files` is keyed by name.
 */
export function mergeChunks(files: Map<string, string>, most: number): void {
  const names = [...files.keys()].filter((name) => name.endsWith(".js"));
  const targets = (name: string, pattern: RegExp) =>
    Array.from(files.get(name)!.matchAll(pattern), ([, target]) => target);
  const imports = new Map(names.map((name) => [name, targets(name, IMPORT)]));
  const loads = (name: string) => {
    const all = new Set([name]);
    for (const one of all) for (const next of imports.get(one)!) all.add(next);
    return all;
  };
  const entries = [...new Set(["main.js", ...names.flatMap((name) => targets(name, DYNAMIC))])];
  /** The entries that load each file, as the bits of a number. */
  const users = new Map(names.map((name) => [name, 0n]));
  const use = (name: string, by: bigint) => users.set(name, users.get(name)! | by);
  entries.forEach((entry, i) => loads(entry).forEach((name) => use(name, 1n << BigInt(i))));
  const before = new Map(users);
  const weights = new Map(names.map((name) => [name, weight(files.get(name)!)]));

  for (;;) {
    const sets = Map.groupBy(names, (name) => users.get(name)!);
    const shared = [...sets.keys()].filter((set) => size(set) > 1);
    if (entries.length + shared.length <= most) break;
    let least = { bytes: Infinity, needed: new Set<string>(), set: 0n };
    for (const few of shared) {
      const needed = new Set(sets.get(few)!.flatMap((name) => [...loads(name)]));
      for (const set of shared.filter((many) => many !== few && (many & few) === few)) {
        const bytes = needed.values()
          .reduce((sum, name) => sum + size(set & ~users.get(name)!) * weights.get(name)!, 0);
        if (bytes < least.bytes) least = { bytes, needed, set };
      }
    }
    if (least.set === 0n) break;
    for (const name of least.needed) use(name, least.set);
  }
  entries.forEach((entry, i) => {
    const added = names.filter((name) =>
      ((users.get(name)! & ~before.get(name)!) >> BigInt(i) & 1n) === 1n
    );
    const imports = added.map((name) => `\nimport"./${name}";`).join("");
    files.set(entry, files.get(entry)!.replace(/(?=\n\/\/#|$)/, imports));
  });
}

/** Returns how long a bundled file takes to load, in bytes of a usual file. */
function weight(text: string): number {
  return text.length + (NODE.test(text) ? NODE_BYTES : 0);
}

/** Returns the number of bits of a set. */
function size(set: bigint): number {
  return set.toString(2).replaceAll("0", "").length;
}
