import type { ModelApp } from "../model_app.ts";
import { CLASSIC } from "./classic.ts";
import { SERVICES } from "./services.ts";
import { TICKETS } from "./tickets.ts";
import { SINGLE_PAGE } from "./single_page.ts";
import { SERVER_RENDERED } from "./server_rendered.ts";

/**
 * All model applications. Each follows the conventions of a different framework or kind of service.
 */
export const MODELS: readonly ModelApp[] = [
  ...SERVER_RENDERED,
  ...SINGLE_PAGE,
  ...CLASSIC,
  ...SERVICES,
  ...TICKETS,
];
