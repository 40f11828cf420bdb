import { numericId } from "./token.ts";

/** A product of the shop. */
export interface Product {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly priceCents: number;
}

const MATERIALS = ["Oak", "Steel", "Linen", "Clay", "Wool", "Glass"];
const THINGS = ["mug", "lamp", "chair", "blanket", "clock", "bowl", "shelf", "notebook"];

/**
 * Creates the products of the shop. Their names are always the same, but their ids are new each
 * time the demo starts.
 */
export function createCatalog(): Product[] {
  const firstId = numericId();
  return MATERIALS.flatMap((material, m) =>
    THINGS.map((thing, t) => ({
      id: firstId + 7 * (m * THINGS.length + t),
      name: `${material} ${thing}`,
      category: thing,
      priceCents: 500 + 350 * t + 125 * m,
    }))
  );
}
