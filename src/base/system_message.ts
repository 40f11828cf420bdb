/** Returns the system's message for an error, such as `No space left on device`, without its number. */
export function systemMessage(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/ \(os error \d+\).*$/s, "")
    : String(error);
}
