import type { Point } from "./points.ts";

/** Prefix of all metric names in Prometheus and OTLP outputs. */
export const PREFIX = "rehearse_";

/** Formats points in the Prometheus text format. */
export function prometheusText(points: readonly Point[]): string {
  const families = Map.groupBy(points, ({ name }) => name);
  return [...families].map(([name, family]) =>
    `# TYPE ${PREFIX}${name} ${family[0].kind}\n` +
    family.map(({ labels, value }) => `${PREFIX}${name}${labelText(labels)} ${value}\n`).join("")
  ).join("");
}

/** Converts a tag name to a valid Prometheus label name. Replaces invalid characters with `_`. */
export function labelName(tag: string): string {
  return tag.replace(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_");
}

function labelText(labels: Point["labels"]): string {
  if (labels.length === 0) return "";
  const written = labels.map(([name, value]) =>
    `${labelName(name)}="${
      value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    }"`
  );
  return `{${written.join(",")}}`;
}
