import { followLinks } from "../../base/atomic_file.ts";
import { OutputError } from "../../base/errors.ts";
import { paths } from "../../base/paths.ts";
import { filesRead } from "../../plan/named_files.ts";
import type { Output } from "../../plan/schema/output.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { pathResolver } from "./file_reader.ts";

/**
 * Creates the function that locates the files of a plan's `outputs`. A plan may come from somebody
 * else, so it writes only under its own folder or under the `allowed` paths (`--allow-output`), and
 * never to a file that it reads. The function throws OutputError for any other file, and for a file
 * that two outputs share.
 */
export function outputLocator(
  plan: Plan,
  planPath: string,
  allowed: readonly string[],
): (path: string) => string {
  const resolve = pathResolver(planPath);
  const roots = [resolve("."), ...allowed.map((path) => paths.resolve(path))];
  const read = [
    ...(planPath === "-" ? [] : [paths.resolve(planPath)]),
    ...filesRead(plan).map(resolve),
  ];
  const taken = new Set<string>();
  return (path) => {
    const target = realPath(resolve(path));
    const refuse = (reason: string) =>
      new OutputError(`cannot write the output ${path}: ${reason}`);
    if (!roots.some((root) => isWithin(target, realPath(root)))) {
      throw refuse(
        `${target} is not in the plan's folder; add --allow-output ${path} if you trust the plan`,
      );
    }
    if (read.some((path) => realPath(path) === target)) {
      throw refuse("the plan reads this file; choose another path");
    }
    if (taken.has(target)) throw refuse("another output writes this file; choose another path");
    taken.add(target);
    return target;
  };
}

/** Describes where the outputs of a plan go, one line each. */
export function describeOutputs(
  outputs: readonly Output[],
  resolve: (path: string) => string,
): string[] {
  return outputs.flatMap((output) => {
    switch (output.type) {
      case "json":
      case "csv":
        return [`samples go to ${resolve(output.path)}`];
      case "prometheus":
        return [
          ...(output.listen === undefined ? [] : [`metrics are served at ${output.listen}`]),
          ...(output.remote_write === undefined ? [] : [`metrics go to ${output.remote_write}`]),
        ];
      case "otlp":
        return [`metrics go to ${output.endpoint}`];
      case "statsd":
        return [`metrics go to ${output.address}`];
    }
  });
}

function isWithin(path: string, root: string): boolean {
  const way = paths.relative(root, path);
  return way !== ".." && !way.startsWith(`..${paths.SEPARATOR}`) && !paths.isAbsolute(way);
}

/** Returns the absolute path without links, also of a file that does not exist yet. */
function realPath(path: string): string {
  const target = followLinks(path);
  try {
    return Deno.realPathSync(target);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const folder = paths.dirname(target);
    return folder === target ? target : paths.join(realPath(folder), paths.basename(target));
  }
}
