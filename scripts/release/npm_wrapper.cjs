#!/usr/bin/env node
"use strict";
// Runs rehearse with the executable of the npm package `deno`.
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");

const { deno } = require("./package.json");
const child = spawn(
  denoProgram(),
  ["run", ...deno.flags, join(__dirname, "main.js"), ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, DENO_NO_UPDATE_CHECK: "1" } },
);

// A terminal sends Ctrl-C to both processes. A second one would abort the run instead of stopping it.
const hasTerminal = [0, 1, 2].some((fd) => require("node:tty").isatty(fd));
process.on("SIGINT", () => hasTerminal || child.kill("SIGINT"));
process.on("SIGTERM", () => child.kill("SIGTERM"));
process.on("SIGHUP", () => child.kill("SIGHUP"));

child.on("error", (error) => {
  console.error(`rehearse: cannot start Deno: ${error.message}`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});

/** Returns the path of Deno. Installs Deno first if npm did not run install scripts. */
function denoProgram() {
  const folder = dirname(require.resolve("deno/package.json"));
  const program = join(folder, process.platform === "win32" ? "deno.exe" : "deno");
  return existsSync(program) ? program : require("deno/install_api.cjs").runInstall();
}
