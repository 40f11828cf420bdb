import { COLUMN_BYTES, COLUMNS } from "../memory";

export function kindOf(column: i32): i32 {
  return load<u8>(column);
}

export function delimiterLength(column: i32): i32 {
  return load<u8>(column, 1);
}

export function stopByte(column: i32): i32 {
  return load<u8>(column, 2);
}

/** Minimum length of a word. */
export function minLength(column: i32): i32 {
  return load<u8>(column, 3);
}

/** Number of member columns of an object. */
export function memberCount(column: i32): i32 {
  return load<u8>(column, 3);
}

export function delimiterAt(column: i32): i32 {
  return column + 16;
}

export function columnAt(index: i32): i32 {
  return COLUMNS + index * COLUMN_BYTES;
}
