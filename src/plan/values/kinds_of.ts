/** Returns the keys of a registry of kinds, in registry order, typed as string literals. */
export function kindsOf<Registry extends object>(registry: Registry): (string & keyof Registry)[] {
  const kinds: (string & keyof Registry)[] = [];
  for (const kind in registry) kinds.push(kind);
  return kinds;
}
