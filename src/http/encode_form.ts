/**
 * Encodes name and value pairs as `application/x-www-form-urlencoded`. Keeps their order and
 * duplicate names.
 */
export function encodeForm(pairs: readonly (readonly [name: string, value: string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}
