import { ExactNumber } from "../../base/exact_number.ts";
import type { JsonPlace } from "./json_path.ts";

/**
 * Function called for each leaf of a JSON value. `key` is the name of the leaf's member, or of the list
 * that contains it. `parent` and `step` are the path to the leaf; both are undefined if the root is a
 * leaf.
 */
export type LeafVisitor = (
  leaf: unknown,
  key: string,
  parent: JsonPlace | undefined,
  step: string | number | undefined,
) => void;

interface Frame {
  readonly value: Record<string, unknown> | unknown[];
  readonly names: readonly string[] | undefined;
  readonly key: string;
  readonly place: JsonPlace | undefined;
  next: number;
}

/** Visits the leaves of a JSON value in document order. Uses its own stack, so any depth works. */
export function forEachLeaf(root: unknown, visit: LeafVisitor): void {
  if (typeof root !== "object" || root === null || root instanceof ExactNumber) {
    return visit(root, "", undefined, undefined);
  }
  const stack = [frame(root, "", undefined)];
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    const inner = advance(top, visit);
    if (inner === undefined) stack.pop();
    else stack.push(inner);
  }
}

/**
 * Visits leaves up to the next list or object and returns the frame of that list or object. Returns
 * undefined at the end of `top`.
 */
function advance(top: Frame, visit: LeafVisitor): Frame | undefined {
  const { value, names, place } = top;
  const length = names === undefined ? (value as unknown[]).length : names.length;
  while (top.next < length) {
    const step = names === undefined ? top.next : names[top.next];
    const key = names === undefined ? top.key : names[top.next];
    const child = (value as Record<string | number, unknown>)[step];
    top.next++;
    if (typeof child === "object" && child !== null && !(child instanceof ExactNumber)) {
      return frame(child, key, { parent: place, step });
    }
    visit(child, key, place, step);
  }
  return undefined;
}

function frame(value: object, key: string, place: JsonPlace | undefined): Frame {
  return Array.isArray(value)
    ? { value, names: undefined, key, place, next: 0 }
    : { value: value as Record<string, unknown>, names: Object.keys(value), key, place, next: 0 };
}
