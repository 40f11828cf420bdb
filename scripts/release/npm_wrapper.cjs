#!/usr/bin/env node
"use strict";
// Runs rehearse with the executable of the npm package `deno`.
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");

let child = null;
// As process 1 of a container, this process ignores signals until it has listeners.
// A terminal sends Ctrl-C to both processes. A second one would abort the run instead of stopping it.
// `rehearse` ignores a copy of a signal that reaches the whole process group.
const hasTerminal = [0, 1, 2].some((fd) => require("node:tty").isatty(fd));
process.on("SIGINT", () => hasTerminal || forward("SIGINT"));
process.on("SIGTERM", () => forward("SIGTERM"));
process.on("SIGHUP", () => forward("SIGHUP"));

const { deno } = require("./package.json");
child = spawn(
  denoProgram(),
  ["run", ...deno.flags, join(__dirname, "main.js"), ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, DENO_NO_UPDATE_CHECK: "1" } },
);

child.on("error", (error) => {
  console.error(`rehearse: cannot start Deno: ${error.message}`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});

/** Sends a signal to rehearse, or ends this process if rehearse has not been started. */
function forward(signal) {
  if (child === null) process.exit(128 + constants.signals[signal]);
  child.kill(signal);
}

/** Returns the path of Deno. Installs Deno first if npm did not run install scripts. */
function denoProgram() {
  const folder = dirname(require.resolve("deno/package.json"));
  const program = join(folder, process.platform === "win32" ? "deno.exe" : "deno");
  return existsSync(program) ? program : require("deno/install_api.cjs").runInstall();
}
