/** Error whose message states why a profile is invalid. */
export class InvalidProfile extends Error {}

/**
 * Returns `value` if it is an object. Otherwise throws `InvalidProfile`. `what` describes the value
 * in the message.
 */
export function checkRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new InvalidProfile(`${what} is not an object`);
}

/**
 * Returns `value` if it is a list. Otherwise throws `InvalidProfile`. `what` describes the value in
 * the message.
 */
export function checkList(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidProfile(`${what} is not a list`);
}

/**
 * Returns `value` if it is a string. Otherwise throws `InvalidProfile`. `what` describes the value
 * in the message.
 */
export function checkText(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new InvalidProfile(`${what} is not text`);
}

/**
 * Returns `value` if it is a whole number from 0 to `max`. Otherwise throws `InvalidProfile`.
 * `what` describes the value in the message.
 */
export function checkInteger(
  value: unknown,
  what: string,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) {
    return value as number;
  }
  throw new InvalidProfile(`${what} is not a whole number from 0 to ${max}`);
}
