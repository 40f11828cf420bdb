/** Maximum length of a line in bytes, without its line end; a longer line is malformed. */
export const MAX_LINE_BYTES = 1 << 20;
