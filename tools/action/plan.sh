#!/usr/bin/env bash
# Plans the base and the head, each with its own dependencies, and writes the reports. A later step exits with the status.
set -euo pipefail

work=$RUNNER_TEMP/eks-gpu-lab
reports=$work/reports
rm -rf "$work"
mkdir -p "$reports"

# What the later steps get if this script does not come to its end. Later outputs of the same name replace these.
no_plan() { printf '### ❌ Plan: it could not be made\n\n%s\n' "$1" >"$reports/comment.md"; }
no_plan 'The log of the workflow run has the reason.'
cp "$reports/comment.md" "$work/no-plan.md"
printf '%s\n' "reports=$reports" status=3 failed=true 'changed=[]' >>"$GITHUB_OUTPUT"

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
[ -s "$reports/comment.md" ] || cp "$work/no-plan.md" "$reports/comment.md"

# 0 and 1 need a plan that can be read. With another status, the comment has the errors.
why=$(node - "$reports/plan.json" <<'JS'
const { readFileSync } = require("node:fs");
const text = readFileSync(process.argv[2], "utf8").trim();
const whyNot = () => {
  if (text === "") return "plan.json is empty.";
  if (text.startsWith("<")) return "plan.json is HTML or XML, not JSON.";
  try {
    return Array.isArray(JSON.parse(text)?.changed) ? "" : "plan.json is not the result of a plan.";
  } catch {
    return "plan.json is no complete JSON.";
  }
};
console.log(whyNot());
JS
)
if [ "$status" -gt 3 ]; then
  no_plan "The plan was ended before it was complete: status $status. The log of the workflow run has more."
  rm -f "$reports/summary.md"
elif [ "$status" -le 1 ] && cmp -s "$reports/comment.md" "$work/no-plan.md"; then
  status=3
elif [ "$status" -le 1 ] && [ -n "$why" ]; then
  no_plan "The plan ended with status $status, but its result cannot be read: $why The log of the workflow run has more."
  rm -f "$reports/summary.md"
  status=3
fi
if [ -s "$reports/summary.md" ]; then cat "$reports/summary.md"; else cat "$reports/comment.md"; fi >>"$GITHUB_STEP_SUMMARY"

node - "$reports/plan.json" "$reports" "$status" "$why" >>"$GITHUB_OUTPUT" <<'JS'
const { readFileSync } = require("node:fs");
const [file, reports, status, why] = process.argv.slice(2);
const { changed = [], cost } = why === "" ? JSON.parse(readFileSync(file, "utf8")) : {};
const amount = (usd) => (typeof usd === "number" ? usd.toFixed(4) : "");
const values = {
  changed: JSON.stringify(changed),
  "cost-before": amount(cost?.atRest?.before),
  "cost-after": amount(cost?.atRest?.after),
  failed: status !== "0",
  reports,
  status,
};
for (const [name, value] of Object.entries(values)) console.log(`${name}=${value}`);
JS
