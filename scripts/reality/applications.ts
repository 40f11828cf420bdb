import type { Application } from "./application.ts";
import { mediawiki } from "./mediawiki.ts";
import { sqlpad } from "./sqlpad.ts";

/** The applications to test converted plans with. */
export const APPLICATIONS: readonly Application[] = [mediawiki, sqlpad];
