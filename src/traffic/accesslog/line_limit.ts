/** The longest line that is read, in bytes without its line end; a longer one is malformed. */
export const MAX_LINE_BYTES = 1 << 20;
