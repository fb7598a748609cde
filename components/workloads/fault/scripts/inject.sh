#!/bin/sh
tries=0
until dcgmi discovery --host "$NODE_IP" -l; do
  tries=$((tries + 1))
  if [ "$tries" -ge 24 ]; then
    echo "no DCGM engine answers at $NODE_IP:5555" >&2
    exit 1
  fi
  sleep 5
done
for _ in 1 2 3; do
  dcgmi test --host "$NODE_IP" --inject --gpuid "$GPU" -f "$FIELD" -v "$VALUE" || exit 1
  sleep 20
done
