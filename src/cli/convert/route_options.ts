import { MAX_DOCUMENT_BYTES } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { InputError, UsageError } from "../../base/errors.ts";
import { parseYaml } from "../../base/yaml.ts";
import type { RouteOptions } from "../../traffic/accesslog/routes/merge_routes.ts";
import {
  openApiPatterns,
  parseRoutePattern,
  type RoutePattern,
} from "../../traffic/accesslog/routes/route_pattern.ts";
import type { Args, Flag } from "../command/command.ts";

const GROUP = "Access logs: routes";

/** Options of `convert` that merge the paths of access logs. */
export const ROUTE_FLAGS: readonly Flag[] = [
  {
    name: "route",
    value: "PATTERN",
    suggests: ["auto"],
    repeats: true,
    group: GROUP,
    help: "Merge the paths that match PATTERN, such as /blog/:slug; `auto` finds path parameters " +
      "by how many different values they have",
  },
  {
    name: "openapi",
    file: "read",
    group: GROUP,
    help: "Merge paths that match the same path in this OpenAPI document (YAML or JSON)",
  },
];

/**
 * Parses the options that merge paths, and reads the OpenAPI document. Returns undefined if no
 * option is set. Throws UsageError if an option is invalid, and InputError if the document is
 * invalid.
 */
export async function routeOptions(args: Args): Promise<RouteOptions | undefined> {
  const routes = args.all("route");
  const openapi = args.text("openapi");
  if (routes.length === 0 && openapi === undefined) return undefined;
  const patterns = routes.filter((text) => text !== "auto").map((text) => {
    const pattern = parseRoutePattern(text);
    if (pattern !== undefined) return pattern;
    throw new UsageError(
      `--route cannot be ${text}: expected a path with a parameter, such as /blog/:slug, or auto`,
    );
  });
  const documented = openapi === undefined ? [] : await readOpenApi(openapi);
  return { patterns: [...patterns, ...documented], isAutomatic: routes.includes("auto") };
}

/**
 * Converts the paths in an OpenAPI document to route patterns. Throws InputError if the document is
 * invalid.
 */
async function readOpenApi(path: string): Promise<RoutePattern[]> {
  using source = await openBytes(path, () => new ReadableStream());
  const text = new TextDecoder().decode(await source.bytes(MAX_DOCUMENT_BYTES));
  return openApiPatterns(parse(() => parseYaml(text), path), path);
}

function parse(read: () => unknown, source: string): unknown {
  try {
    return read();
  } catch (error) {
    throw new InputError(`not YAML or JSON: ${(error as Error).message}`, { source });
  }
}
