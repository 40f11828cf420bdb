/** The JSON in a WebSocket message, without the frame that a protocol puts around it. */
export interface FramedJson {
  /** The payload of the message as JSON text: an object or a list. */
  readonly json: string;
  /**
   * Ranges of the message, in UTF-16 code units, that contain the JSON text verbatim. Empty if the
   * frame escapes the JSON.
   */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/** A header in a frame, such as `id:7`. Offsets are in UTF-16 code units; `end` is exclusive. */
export interface FrameHeader {
  readonly name: string;
  /** Start of the value in the message. */
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the JSON in the messages of one protocol. Returns undefined for any other text. `nested`
 * finds the JSON in a message of any protocol.
 */
export type Frame = (
  text: string,
  nested: (text: string) => FramedJson | undefined,
) => FramedJson | undefined;
