#!/usr/bin/env bash
# Finds the commit to compare with. A checkout of a pull request is a merge of its base and its head: the first parent is
# the newest base. A shallow clone does not have the parent, but its name. Other checkouts use the base of the event.
set -euo pipefail

parents=$(git cat-file -p HEAD | sed -n '/^$/q; s/^parent //p')
if [ -n "$HEAD_SHA" ] && [ "$(sed -n 2p <<<"$parents")" = "$HEAD_SHA" ]; then
  BASE_SHA=$(sed -n 1p <<<"$parents")
fi
echo "sha=$BASE_SHA" >>"$GITHUB_OUTPUT"
