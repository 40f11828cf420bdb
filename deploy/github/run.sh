#!/usr/bin/env bash
# Step of the GitHub Action in action.yml: checks the plan, runs it, writes the reports, and adds the
# result to the summary of the job. Works in the bash 3.2 of macOS.
set -euo pipefail

# A checkout in which `deno task build` ran tries itself.
program=$GITHUB_ACTION_PATH/dist/main.js
if [ ! -f "$program" ]; then program=jsr:@rehearse/cli@0.1.0; fi
rehearse() {
  deno run --no-config --no-lock --no-prompt --allow-read --allow-write --allow-net --allow-env \
    "$program" "$@"
}

rehearse validate --format github -- "$PLAN"

options=(--quiet --format github)
if [ -n "$BASE_URL" ]; then options+=(--base-url "$BASE_URL"); fi
while IFS= read -r line || [ -n "$line" ]; do
  # Ignores spaces around an argument, and the carriage returns of a workflow file from Windows.
  line="${line#"${line%%[![:space:]]*}"}"
  line="${line%"${line##*[![:space:]]}"}"
  if [ -n "$line" ]; then options+=("$line"); fi
done <<< "$ARGS"

mkdir -p "$REPORTS"
printf 'reports=%s\n' "${REPORTS//[$'\r\n']/}" >> "$GITHUB_OUTPUT"
options+=(--html "$REPORTS/report.html" --summary-export "$REPORTS/summary.json")
options+=(--junit "$REPORTS/junit.xml")

code=0
rehearse run "${options[@]}" -- "$PLAN" | tee "$REPORTS/summary.txt" || code=${PIPESTATUS[0]}
printf 'exit-code=%s\n' "$code" >> "$GITHUB_OUTPUT"
exit "$code"
