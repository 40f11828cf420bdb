export { basename } from "@std/path/posix/basename";
export { SEPARATOR } from "@std/path/posix/constants";
export { dirname } from "@std/path/posix/dirname";
export { isAbsolute } from "@std/path/posix/is-absolute";
export { join } from "@std/path/posix/join";
export { normalize } from "@std/path/posix/normalize";
export { relative } from "@std/path/posix/relative";
export { resolve } from "@std/path/posix/resolve";
