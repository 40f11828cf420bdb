import { type Message, type MessageName, MESSAGES } from "../messages.ts";

/**
 * Version of the message protocol. It increases when the fields of a message or their meaning
 * change.
 */
export const PROTOCOL = 5;

/**
 * Formats an error or warning about a process, described by `who`, that uses protocol version
 * `protocol` instead of this process's version.
 */
export function describeOtherProtocol(who: string, protocol: number): string {
  return `${who} uses version ${protocol} of the fleet protocol, and this version of rehearse ` +
    `uses version ${PROTOCOL}; use the same version of rehearse everywhere`;
}

/**
 * Reason why a message is invalid. `protocol` is the protocol version of the message if it differs
 * from `PROTOCOL`.
 */
export interface MessageFault {
  readonly fault: string;
  readonly protocol?: number;
}

/** Encodes a message and the protocol version as JSON. */
export function encodeMessage(message: Message): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ rehearse: PROTOCOL, ...message }));
}

/**
 * Decodes and validates a message, which may come from anyone who can reach the bus. If it is
 * invalid, returns the reason.
 */
export function decodeMessage(bytes: Uint8Array): Message | MessageFault {
  const value = parseObject(bytes);
  if (value === undefined) return { fault: "a message is not a JSON object" };
  const { rehearse: protocol, kind, ...content } = value;
  if (protocol !== PROTOCOL) {
    const known = typeof protocol === "number" ? { protocol } : {};
    return { fault: "a message has a different protocol version", ...known };
  }
  if (typeof kind !== "string" || !Object.hasOwn(MESSAGES, kind)) {
    return { fault: "a message has an unknown kind" };
  }
  const { schema, maxBytes } = MESSAGES[kind as MessageName];
  if (bytes.length > maxBytes) return { fault: `a message of kind ${kind} is too large` };
  const { data } = schema.safeParse(content);
  if (data === undefined) return { fault: `a message of kind ${kind} is invalid` };
  return { kind, ...data } as Message;
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}
