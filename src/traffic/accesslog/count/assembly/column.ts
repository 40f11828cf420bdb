import {
  COLUMN_BYTES,
  COLUMN_DELIMITER,
  COLUMN_DELIMITER_LENGTH,
  COLUMN_KIND,
  COLUMN_MEMBERS,
  COLUMN_MIN_LENGTH,
  COLUMN_STOP,
  COLUMNS,
} from "../memory";

// Accessors for the fields of a column; see memory.ts.

export function kindOf(column: i32): i32 {
  return load<u8>(column, COLUMN_KIND);
}

export function delimiterLength(column: i32): i32 {
  return load<u8>(column, COLUMN_DELIMITER_LENGTH);
}

export function stopByte(column: i32): i32 {
  return load<u8>(column, COLUMN_STOP);
}

export function minLength(column: i32): i32 {
  return load<u8>(column, COLUMN_MIN_LENGTH);
}

export function memberCount(column: i32): i32 {
  return load<u8>(column, COLUMN_MEMBERS);
}

export function delimiterAt(column: i32): i32 {
  return column + COLUMN_DELIMITER;
}

export function columnAt(index: i32): i32 {
  return COLUMNS + index * COLUMN_BYTES;
}
