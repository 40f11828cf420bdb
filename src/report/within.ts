/** Formats a scenario and its groups as a path: `browse › shop › cart`. */
export function within(scenario: string, group: string): string {
  return [scenario, ...group.split("::")].filter(Boolean).join(" › ");
}
