#!/bin/sh
printf 'Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n\r\n'
echo '# HELP runtime_socket_state What stands at the path of a socket on the node; 1 for the state it is in.'
echo '# TYPE runtime_socket_state gauge'
for watch in $WATCHES; do
  path=${watch%%=*}
  place=${watch#*=}
  if [ -S "$place" ]; then found=socket
  elif [ -d "$place" ]; then found=directory
  elif [ -e "$place" ] || [ -L "$place" ]; then found=other
  elif [ -x "${place%/*}" ]; then found=missing
  else found=unreadable
  fi
  for state in socket directory other missing unreadable; do
    if [ "$state" = "$found" ]; then value=1; else value=0; fi
    echo "runtime_socket_state{node=\"$NODE_NAME\",path=\"$path\",state=\"$state\"} $value"
  done
done
