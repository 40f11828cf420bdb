import { isMap } from "../../base/exact_number.ts";
import { requestName, socketName } from "../kinds/steps/request_name.ts";
import { STEPS } from "../kinds/steps/steps.ts";

/** Label that identifies a list item across versions of a plan. */
export interface ItemLabel {
  /**
   * Name of the item, such as `GET /cart`. Items with the same name are versions of the same item.
   */
  readonly text: string;
  /**
   * Labels of the steps in a choice, which identify the choice even if it was renamed. Absent for
   * other items.
   */
  readonly content?: string;
  /**
   * Kind of the item, such as `request`. Only items of the same kind can be versions of the same
   * item.
   */
  readonly sort: string;
}

/** Returns the label of a list item in a plan, such as a step, a choice or a threshold. */
export function labelItem(item: unknown): ItemLabel {
  if (typeof item === "string") return { text: item, sort: "text" };
  if (!isMap(item)) return { text: JSON.stringify(item), sort: "value" };
  const [kind] = Object.keys(item);
  if (Object.hasOwn(STEPS, kind)) return labelStep(kind, item[kind]);
  if (Array.isArray(item.steps)) {
    const content = labels(item.steps);
    const text = typeof item.name === "string" ? item.name : content;
    return { text, content, sort: "choice" };
  }
  const name = item.name ?? item.threshold ?? item.path ?? item.url;
  if (typeof item.type === "string" || typeof name === "string") {
    const text = [item.type, name].filter((part) => typeof part === "string").join(" ");
    return { text, sort: `type ${item.type}` };
  }
  return { text: JSON.stringify(item), sort: "map" };
}

function labelStep(kind: string, value: unknown): ItemLabel {
  return { text: stepText(kind, value), sort: kind };
}

function stepText(kind: string, value: unknown): string {
  if (!isMap(value)) return kind;
  const { name, url } = value;
  if (typeof url === "string") {
    const named = { ...value, url, name: typeof name === "string" ? name : undefined };
    return kind === "websocket"
      ? socketName(named)
      : requestName({ ...named, method: value.method as string | undefined });
  }
  return typeof name === "string" ? `${kind} ${name}` : kind;
}

function labels(steps: readonly unknown[]): string {
  return steps.map((step) => labelItem(step).text).join(", ");
}
