/** Maximum length of a line in bytes (1 MiB), without its line end. A longer line is malformed. */
export const MAX_LINE_BYTES = 1 << 20;
