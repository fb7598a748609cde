import type { LabPicture } from "../lab-pictures";

export const runtimeSocket: LabPicture = {
  title: "a directory stands where the socket must be",
  boxes: [
    ["typed", "works", "pod with type: Socket", "FailedMount: it waits, and says why"],
    ["parent", "works", "pod that mounts the directory above", "finds the new socket by itself"],
    ["untyped", "gone", "pod with a hostPath without a type", "what it mounts is made: a directory"],
    ["there", "works", "1 the runtime listens", "srw-rw----  a socket"],
    ["away", "waits", "2 it restarts", "nothing, for a moment"],
    ["made", "gone", "3 in that moment", "drwxr-xr-x  a directory"],
    ["never", "gone", "4 at its next start", "is a directory: exit 1, again and again"],
    ["watch", "works", "DaemonSet socket-watch", 'state="directory"'],
    ["alert", "plain", "alert RuntimeSocketIsDirectory", "after one minute"],
  ],
  groups: [
    ["pods", "pods that want the socket of the node", ["typed", "parent", "untyped"]],
    ["path", "the path, in time", ["there", "away", "made", "never"]],
  ],
  rows: [
    ["typed", "parent", "untyped"],
    ["there", "away", "made", "never"],
    ["watch", "alert"],
  ],
  arrows: [
    ["typed", "parent", "plain", "", { style: "invis" }],
    ["parent", "untyped", "plain", "", { style: "invis" }],
    ["there", "away", "plain"],
    ["away", "made", "gone"],
    ["made", "never", "gone"],
    ["untyped", "made", "gone", "mounts"],
    ["made", "watch", "plain", "seen by"],
    ["watch", "alert", "plain", "Prometheus"],
  ],
};
