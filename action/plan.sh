#!/usr/bin/env bash
# Plans the base and the head, each with its own dependencies, and writes the reports. A later step exits with the status.
set -euo pipefail

work=$RUNNER_TEMP/eks-gpu-lab
reports=$work/reports
rm -rf "$work"
mkdir -p "$reports"

# Outside of the head, whose packages the base must not find.
checkout=$GITHUB_WORKSPACE/.eks-gpu-lab-base
[ ! -d "$checkout" ] || mv "$checkout" "$work/base"

install() { bash -c "$INSTALL" >&2; }
tool() { npx --no-install eks-gpu-lab "$@"; }

# The base may be older than its policy pack or policy configuration.
plan_base() {
  local options=()
  cd "$work/base/$WORKING_DIRECTORY" || return 1
  if [[ $PACK != */* ]] || [ -e "$PACK" ]; then options+=(--pack "$PACK"); fi
  if [ -n "$POLICY_CONFIG" ] && [ -e "$POLICY_CONFIG" ]; then options+=(--policy-config "$POLICY_CONFIG"); fi
  install && tool plan --all --json "${options[@]}"
}

plan_head() {
  local options=(--pack "$PACK")
  [ -z "$POLICY_CONFIG" ] || options+=(--policy-config "$POLICY_CONFIG")
  [ -z "$RULE_PAGES" ] || options+=(--rule-pages "$RULE_PAGES")
  case $STACKS in
    all) options+=(--all) ;;
    changed) options+=(--all --changed) ;;
    *) options+=(--stack "$STACKS") ;;
  esac
  cd "$GITHUB_WORKSPACE/$WORKING_DIRECTORY" || return 3
  install || return 3
  tool plan "${options[@]}" --base "$work/base.json" --markdown "$reports/comment.md" --summary "$reports/summary.md" \
    --sarif "$reports/plan.sarif" --junit "$reports/plan.xml" --json
}

# A rejected base exits with 1, and one with a broken stack with 2 or 3: what counts is whether there are plans.
# An empty error stands for an event without a base, such as a push.
if [ -d "$work/base" ]; then
  (plan_base) >"$work/base.json" 2>"$work/base.log" || true
else
  echo '{"error": ""}' >"$work/base.json"
  : >"$work/base.log"
fi
cat "$work/base.log" >&2
node - "$work/base.json" "$work/base.log" <<'JS'
const { readFileSync, writeFileSync } = require("node:fs");
const [file, log] = process.argv.slice(2);
try {
  JSON.parse(readFileSync(file, "utf8"));
} catch {
  const error = readFileSync(log, "utf8").trim().split("\n").slice(-20).join("\n") || "It printed no plan.";
  writeFileSync(file, JSON.stringify({ error }));
}
JS

status=0
(plan_head) >"$reports/plan.json" || status=$?
if [ ! -s "$reports/comment.md" ]; then
  printf '### ❌ Plan: it could not be made\n\nThe log of the workflow run has the reason.\n' >"$reports/comment.md"
  [ "$status" != 0 ] || status=3
fi
if [ -s "$reports/summary.md" ]; then cat "$reports/summary.md"; else cat "$reports/comment.md"; fi >>"$GITHUB_STEP_SUMMARY"

node - "$reports/plan.json" "$reports" "$status" >>"$GITHUB_OUTPUT" <<'JS'
const { readFileSync } = require("node:fs");
const [file, reports, status] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const { changed = [], cost } = text === "" ? {} : JSON.parse(text);
const values = {
  changed: JSON.stringify(changed),
  "cost-before": cost?.atRest.before?.toFixed(4) ?? "",
  "cost-after": cost?.atRest.after?.toFixed(4) ?? "",
  failed: status !== "0",
  reports,
  status,
};
for (const [name, value] of Object.entries(values)) console.log(`${name}=${value}`);
JS
