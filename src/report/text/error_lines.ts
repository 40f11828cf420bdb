import type { ErrorStats, Summary } from "../../engine/summary/summary.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { count } from "./units.ts";

/** Lists errors by kind, most frequent first, with the request most affected and its first error message. */
export function errorLines({ errors }: Summary, style: Style): string[] {
  const kinds = Map.groupBy(errors, ({ kind }) => kind);
  return [...kinds.values()].sort((a, b) => total(b) - total(a)).flatMap((faults) => {
    const [{ kind, name, message }] = faults;
    const others = faults.length > 1 ? ` and ${faults.length - 1} more` : "";
    const where = fit(name, style.width - 40) + others;
    return [
      `  ${style.bad(`${fit(kind, 20)} ×${count(total(faults))}`)}  ${where}`,
      style.faint(`    ${fit(message, style.width - 4)}`),
    ];
  });
}

function total(faults: readonly ErrorStats[]): number {
  return faults.reduce((sum, { count }) => sum + count, 0);
}
