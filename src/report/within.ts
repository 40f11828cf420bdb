/** The scenario and the groups that something stands in: `browse › shop › cart`. */
export function within(scenario: string, group: string): string {
  return [scenario, ...group.split("::")].filter(Boolean).join(" › ");
}
