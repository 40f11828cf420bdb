/** What the system says is wrong, such as `No space left on device`, without its error's number. */
export function systemMessage(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/ \(os error \d+\).*$/s, "")
    : String(error);
}
