import { COLUMN_BYTES, COLUMNS } from "../src/traffic/accesslog/counter/memory";

export function kindOf(column: i32): i32 {
  return load<u8>(column);
}

export function behindLength(column: i32): i32 {
  return load<u8>(column, 1);
}

export function stopOf(column: i32): u8 {
  return load<u8>(column, 2);
}

export function leastOf(column: i32): i32 {
  return load<u8>(column, 3);
}

export function behindOf(column: i32): i32 {
  return column + 16;
}

export function columnAt(index: i32): i32 {
  return COLUMNS + index * COLUMN_BYTES;
}
