/** Returns the buffers of all typed arrays in a message, each once. */
export function transferables(message: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  addBuffers(message, found);
  return [...found];
}

function addBuffers(value: unknown, found: Set<ArrayBuffer>): void {
  if (typeof value !== "object" || value === null) return;
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else for (const member of Object.values(value)) addBuffers(member, found);
}
