/** Returns the keys of a registry of kinds, in their order, with their literal types. */
export function kindsOf<Registry extends object>(registry: Registry): (string & keyof Registry)[] {
  const kinds: (string & keyof Registry)[] = [];
  for (const kind in registry) kinds.push(kind);
  return kinds;
}
