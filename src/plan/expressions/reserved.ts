/** Names of run properties that expressions use without a prefix. */
export const BARE = ["vu", "iteration", "scenario", "unique"] as const;

/** Namespaces that can precede a name, as in `vars.NAME`. */
export const SPACES = ["env", "vars", "secrets", "data"] as const;

/**
 * Functions that templates supported before expressions were added. Flows cannot set variables with
 * these names.
 */
const FIRST_FUNCTIONS = [
  ...["now", "pkce_verifier", "pkce_challenge", "uuid", "random_int", "url_encode", "base64"],
];

/** Names with a special meaning in `${…}`. A flow cannot set variables with these names. */
export const RESERVED: ReadonlySet<string> = new Set([...BARE, ...SPACES, ...FIRST_FUNCTIONS]);

/** Matches a variable name. */
export const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Matches the name of an environment variable: no white space, none of `:=?+`, and no `-` at the
 * start. Does not match `NAME:-default`, the shell syntax for a default value.
 */
export const ENV_NAME = /^[^\s:=?+-][^\s:=?+]*$/;

/** Reports whether a list of names contains `name`. */
export function isMember<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
