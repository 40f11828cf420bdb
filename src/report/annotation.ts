import { safeText } from "../base/safe_text.ts";

/** Properties of an annotation, such as `file` and `line`. Undefined properties are omitted. */
export type AnnotationProperties = Readonly<Record<string, string | number | undefined>>;

/**
 * Formats the workflow command that adds an annotation to a GitHub job. Escapes the message and the
 * properties, so that recorded text is safe to print.
 */
export function annotation(
  severity: "error" | "warning" | "notice",
  properties: AnnotationProperties,
  message: string,
): string {
  const list = Object.entries(properties).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(",");
  return `::${severity} ${list}::${escapeData(message)}\n`;
}

function escapeData(text: string): string {
  return safeText(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
