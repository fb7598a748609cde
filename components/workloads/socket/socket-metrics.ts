/** The metric of a SocketWatch. For each path, exactly one state has the value 1. */
export const socketStateMetric = "runtime_socket_state";

/** The job label of its targets in Prometheus: the name that its objects carry as a label. */
export const socketWatchJob = "socket-watch";

/** What can exist at the path of a socket. `unreadable`: the watch may not read the directory. */
export const socketStates = ["socket", "directory", "other", "missing", "unreadable"] as const;
