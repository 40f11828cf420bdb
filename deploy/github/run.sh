#!/usr/bin/env bash
# Step of the GitHub Action in action.yml: checks the plan, runs it, writes the reports, and adds the
# result to the summary of the job. Works in the bash 3.2 of macOS.
set -euo pipefail

rehearse() {
  deno run --frozen --no-prompt --allow-read --allow-write --allow-net --allow-env \
    "$GITHUB_ACTION_PATH/main.ts" "$@"
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
