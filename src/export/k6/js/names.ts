/** Words that cannot be variable names in a module. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["arguments", "async", "await", "break", "case", "catch", "class", "const", "continue"],
  ...["debugger", "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false"],
  ...["finally", "for", "function", "if", "implements", "import", "in", "instanceof", "interface"],
  ...["let", "new", "null", "of", "package", "private", "protected", "public", "return", "static"],
  ...["super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void"],
  ...["while", "with", "yield"],
]);

/** Names that the script reads from the global scope. */
const GLOBALS: readonly string[] = [
  ...["Array", "ArrayBuffer", "Date", "Error", "Infinity", "JSON", "Math", "NaN", "Number"],
  ...["Object", "Promise", "RegExp", "Set", "String", "Uint8Array", "__ENV", "__ITER", "__VU"],
  ...[
    "clearTimeout",
    "console",
    "crypto",
    "decodeURIComponent",
    "encodeURIComponent",
    "globalThis",
  ],
  ...["open", "setTimeout"],
];

/** Reports whether `text` is a valid variable name. */
export function isName(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text) && !RESERVED.has(text);
}

/** Assigns variable names that are unique in a script. */
export class Names {
  readonly #taken: Set<string>;

  /** Creates an empty set of names. Names in `taken` are never assigned. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...GLOBALS, ...taken]);
  }

  /**
   * Returns an unused name that resembles `text`, such as `logIn` for `log in`. If `text` has no
   * letters or digits, the name resembles `fallback`.
   */
  take(text: string, fallback: string): string {
    const words = text.replace(/[^A-Za-z0-9_$]+/g, " ").trim().slice(0, 60).split(" ");
    const camel = words.map((word, i) => i === 0 ? word : word[0].toUpperCase() + word.slice(1));
    const joined = camel.join("");
    const name = /[A-Za-z]/.test(joined) ? joined.replace(/^(?=\d)/, "_") : fallback;
    for (let i = 1;; i++) {
      const candidate = i === 1 ? name : `${name}${/\d$/.test(name) ? "_" : ""}${i}`;
      if (!isName(candidate) || this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return candidate;
    }
  }
}
