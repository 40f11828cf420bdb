// Loading a module takes about 0.1 ms, so these tests list the modules that small commands load.

import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("..", import.meta.url);

const LINE =
  '203.0.113.5 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "Mozilla/5.0"\n';
const PLAN = `
defaults: {http: {base_url: "http://127.0.0.1:PORT"}}
scenarios:
  main: {executor: per-vu-iterations, vus: 1, iterations: 1, flow: [{request: {url: /}}]}
`;

/**
 * Modules for runs, remote files, verification and reports. `validate` and `convert` do not need
 * them for local files.
 */
const RUNNING =
  /^src\/(engine|http\/(?!event_stream|exchange_error)|storage|fleet|verify|demo|report\/(html|text))/;
const READING = /^src\/traffic\/har\/|^src\/traffic\/accesslog\/(worker|slice|reading|format_ref)/;
const FORMATS =
  /^src\/traffic\/accesslog\/(formats\/(?!(combined|vhost_combined|format_names)\.ts)|patterns\/)/;
const MARKUP = /^src\/base\/libraries\/(html|xpath|jsonpath|isbot)_bundle\.js$/;
/** Modules of zod. Only the JSON Schema of plans needs them, because `lean_zod` checks plans. */
const ZOD = /^src\/base\/libraries\/zod/;
/**
 * Modules of npm packages. Deno cannot use its code cache for their entry points, and many packages
 * have dozens of modules.
 */
const PACKAGES = /^npm:/;

interface Start {
  readonly args: readonly string[];
  /** Maximum number of modules. */
  readonly most: number;
  readonly never: readonly RegExp[];
}

/** Commands, keyed by description. `$DIR` is a folder with small inputs. */
const STARTS: Readonly<Record<string, Start>> = {
  "the version": { args: ["--version"], most: 19, never: [/^src\/(?!cli|base|plan\/text)/] },
  "validate of a small plan": {
    args: ["validate", "$DIR/plan.yaml"],
    most: 190,
    never: [RUNNING, /^src\/(traffic|convert|extract)\//, MARKUP, ZOD, PACKAGES],
  },
  "convert of a log of 50 lines": {
    args: ["convert", "$DIR/access.log", "-o", "$DIR/out.yaml"],
    most: 283,
    never: [
      RUNNING,
      READING,
      FORMATS,
      /^src\/(extract|convert\/har\/(?!checks))\//,
      MARKUP,
      ZOD,
      PACKAGES,
    ],
  },
  "convert of a HAR": {
    args: ["convert", "testdata/har/demo_shop.har", "-o", "$DIR/out.yaml"],
    most: 372,
    never: [
      RUNNING,
      /^src\/(traffic\/accesslog\/(read\/times|count|detect)|convert\/accesslog)\//,
      /^src\/traffic\/accesslog\/formats\/(?!format_names)/,
      ZOD,
      PACKAGES,
    ],
  },
};

Deno.test("a run of one request loads at most 425 modules, and only modules that it needs", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("ok"),
  );
  const loaded = await loadedModules(["run", "$DIR/plan.yaml"], server.addr.port);
  const never = [
    /^src\/(traffic|convert|verify|fleet|demo|storage|report\/html)\//,
    MARKUP,
    ZOD,
    PACKAGES,
  ];
  assertEquals(loaded.filter((path) => never.some((pattern) => pattern.test(path))), []);
  assert(loaded.length <= 425, `${loaded.length} modules`);
});

for (const [name, { args, most, never }] of Object.entries(STARTS)) {
  Deno.test(`${name} loads at most ${most} modules, and only modules that it needs`, async () => {
    const loaded = await loadedModules(args);
    assertEquals(loaded.filter((path) => never.some((pattern) => pattern.test(path))), []);
    assert(loaded.includes("src/cli/cli.ts"));
    assert(loaded.length <= most, `${loaded.length} modules`);
  });
}

Deno.test("a thread that reads logs loads only modules that are needed for every log", async () => {
  const loaded = await staticModules("src/traffic/accesslog/worker.ts");
  const never = [FORMATS, RUNNING, MARKUP, PACKAGES, /^src\/(plan|convert|cli|traffic\/har)\//];
  assertEquals(loaded.filter((path) => never.some((pattern) => pattern.test(path))), []);
  assert(loaded.length <= 65, `${loaded.length} modules`);
});

/**
 * Runs a command and returns the modules that it loaded, as paths in this project, or as `npm:` and
 * a path in a package. A coverage profile lists exactly these modules. `port` is the port of the
 * plan's target.
 */
async function loadedModules(args: readonly string[], port = 9): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/access.log`, LINE.repeat(50));
    await Deno.writeTextFile(`${folder}/plan.yaml`, PLAN.replace("PORT", `${port}`));
    const given = args.map((arg) => arg.replace("$DIR", folder));
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--frozen", `--coverage=${folder}/modules`, "main.ts", ...given],
      cwd: ROOT,
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const files = [...Deno.readDirSync(`${folder}/modules`)].map((file) => file.name);
    return files.filter((file) => file.endsWith(".json")).map((file) => {
      const { url } = JSON.parse(Deno.readTextFileSync(`${folder}/modules/${file}`));
      return modulePath(url);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the modules that are loaded together with `entry`. */
async function staticModules(entry: string): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: ROOT,
  }).output();
  const { modules }: { modules: readonly ModuleInfo[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const graph = new Map(modules.map((one) => [one.specifier, one]));
  const found = new Set([new URL(entry, ROOT).href]);
  for (const specifier of found) {
    for (const { code, isDynamic } of graph.get(specifier)?.dependencies ?? []) {
      if (code?.specifier !== undefined && isDynamic !== true) found.add(code.specifier);
    }
  }
  return [...found].map(modulePath);
}

interface ModuleInfo {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly isDynamic?: boolean;
  }[];
}

function modulePath(url: string): string {
  if (url.startsWith(ROOT.href)) return url.slice(ROOT.href.length);
  return url.startsWith("npm:") ? url : url.replace(/^.*\/npm\/[^/]+\//, "npm:");
}
