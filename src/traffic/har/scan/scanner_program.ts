import { SCANNER_MODULE } from "./scanner_module.ts";

/** Exports of the WebAssembly program that is compiled from assembly/scanner.ts. */
export interface ScannerProgram {
  readonly memory: WebAssembly.Memory;
  readonly leaves: WebAssembly.Global;
  readonly isAscii: WebAssembly.Global;
  fillRemovals(): void;
  begin(): void;
  move(bytes: number): void;
  scan(from: number, to: number): number;
  unescape(from: number, to: number, into: number): number;
  setWantedPower(power: number): void;
  addValues(from: number, to: number): void;
  addParts(from: number, to: number): void;
  findLeaves(from: number, to: number): number;
  addTokens(from: number, to: number, at: number, bits: number): void;
  findTokens(from: number, to: number): number;
}

let compiled: WebAssembly.Module | undefined;

/** Creates an instance of the program, with its own memory. */
export function startScanner(): ScannerProgram {
  compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(SCANNER_MODULE));
  return new WebAssembly.Instance(compiled).exports as unknown as ScannerProgram;
}

/**
 * Enlarges the memory of a program to at least `size` bytes. Returns a view of the whole memory.
 */
export function reserveMemory({ memory }: ScannerProgram, size: number): Uint8Array {
  const missing = size - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(Math.max(missing, size / 2) / 0x10000));
  return new Uint8Array(memory.buffer);
}
