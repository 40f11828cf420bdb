import { isAbsolute, relative, resolve, SEPARATOR } from "@std/path";
import { realPath } from "../../base/atomic_file.ts";
import { OutputError } from "../../base/errors.ts";
import { type Output, outputVariant } from "../../plan/kinds/outputs/outputs.ts";
import { filesRead } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { pathResolver } from "../input/plan_files.ts";

/**
 * Creates a function that resolves a path in the plan's `outputs` to an absolute path. Because
 * plans may be untrusted, the function accepts only files in the folder of the plan or under one of
 * the paths in `allowed` (`--allow-output`). It throws OutputError for any other file, for a file
 * that the plan reads, and for a file that another output already uses.
 */
export function outputLocator(
  plan: Plan,
  planPath: string,
  allowed: readonly string[],
): (path: string) => string {
  const locate = pathResolver(planPath);
  const roots = [locate("."), ...allowed.map((path) => resolve(path))];
  const read = [
    ...(planPath === "-" ? [] : [resolve(planPath)]),
    ...filesRead(plan).map(locate),
  ];
  const taken = new Set<string>();
  return (path) => {
    const target = realPath(locate(path));
    const refuse = (reason: string) =>
      new OutputError(`cannot write the output ${path}: ${reason}`);
    if (!roots.some((root) => isWithin(target, realPath(root)))) {
      throw refuse(
        `${target} is not in the plan's folder; add \`--allow-output ${path}\` if you trust the plan`,
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

/**
 * Returns a line for each destination of the outputs, such as `metrics go to URL`, without
 * passwords.
 */
export function describeOutputs(
  outputs: readonly Output[],
  resolve: (path: string) => string,
): string[] {
  return outputs.flatMap((output) => outputVariant(output).destinations(output, resolve))
    .map(hidePasswords);
}

function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${SEPARATOR}`) && !isAbsolute(way);
}
