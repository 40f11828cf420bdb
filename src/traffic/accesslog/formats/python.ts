import { expandLayout } from "../read/times/time_layout.ts";
import { type FormatOptions, type NamedFormat, textVariant } from "./named_format.ts";

/**
 * Options for timestamps such as `21/Nov/2026 10:00:00`. They use an strftime layout, because the
 * notation `clf` would also match lines in the common format.
 */
const DATED: FormatOptions = { layout: expandLayout("%d/%b/%Y %T") };
const LOGGED = "<> <~client> - ";

/** Access logs of Python servers that do not write the combined format. */
export const python: NamedFormat = {
  writtenBy: "Uvicorn with `%(asctime)s`, Werkzeug, `http.server`, Django's `runserver`",
  sample: '203.0.113.7 - - [21/Nov/2026 10:00:00] "GET /cart?id=7 HTTP/1.1" 200 512',
  variants: [
    textVariant("python", '<client> - - [<time>] "<request>" <status> ', "layout", 1, DATED),
    textVariant("python", '[<time>] "<request>" <status> ', "layout", 1, DATED),
    textVariant("python", `<time> ${LOGGED}"<request>" <status>`, "iso", 1, {
      clientHasPort: true,
    }),
  ],
};
