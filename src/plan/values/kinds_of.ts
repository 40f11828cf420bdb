/** Returns the kinds of variants, in the order of the registry. */
export function kindsOf<Registry extends object>(registry: Registry): (string & keyof Registry)[] {
  const kinds: (string & keyof Registry)[] = [];
  for (const kind in registry) kinds.push(kind);
  return kinds;
}
