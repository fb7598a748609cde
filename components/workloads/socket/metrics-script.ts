/** The metric that a SocketWatch offers; of the states of one path exactly one has the value 1. */
export const socketStateMetric = "runtime_socket_state";

/** What Prometheus calls the job of its targets: the name that its objects carry as a label. */
export const socketWatchJob = "socket-watch";

/** What can stand in a socket's place. `unreadable`: the watch may not look into the directory. */
export const socketStates = ["socket", "directory", "other", "missing", "unreadable"] as const;

/**
 * Answers one request for metrics, as a CGI program of busybox's httpd: it looks when it is asked, so that no answer is
 * older than the question. Prometheus 3 refuses an answer without a type that it knows.
 *
 * WATCHES holds pairs `path=place`: what the node calls a file, and where the container sees it. Neither has a space.
 * @see https://prometheus.io/docs/prometheus/latest/migration/#scrape-protocols
 */
export const metricsScript = `
#!/bin/sh
printf 'Content-Type: text/plain; version=0.0.4; charset=utf-8\\r\\n\\r\\n'
echo '# HELP ${socketStateMetric} What stands at the path of a socket on the node; 1 for the state it is in.'
echo '# TYPE ${socketStateMetric} gauge'
for watch in $WATCHES; do
  path=\${watch%%=*}
  place=\${watch#*=}
  if [ -S "$place" ]; then found=socket
  elif [ -d "$place" ]; then found=directory
  elif [ -e "$place" ] || [ -L "$place" ]; then found=other
  elif [ -x "\${place%/*}" ]; then found=missing
  else found=unreadable
  fi
  for state in ${socketStates.join(" ")}; do
    if [ "$state" = "$found" ]; then value=1; else value=0; fi
    echo "${socketStateMetric}{node=\\"$NODE_NAME\\",path=\\"$path\\",state=\\"$state\\"} $value"
  done
done
`.trimStart();
