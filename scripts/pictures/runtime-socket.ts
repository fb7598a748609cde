import type { LabPicture } from "../lab-pictures";

export const runtimeSocket: LabPicture = {
  title: "a directory exists at the path of the socket",
  boxes: [
    ["typed", "works", "pod with type: Socket", "FailedMount: it waits and shows the reason"],
    ["parent", "works", "pod that mounts the directory above", "sees the new socket"],
    ["untyped", "gone", "pod with a hostPath without a type", "the mount creates a directory"],
    ["there", "works", "1 the runtime listens", "srw-rw----  a socket"],
    ["away", "waits", "2 it restarts", "no file for a moment"],
    ["made", "gone", "3 in that moment", "drwxr-xr-x  a directory"],
    ["never", "gone", "4 at its next start", "is a directory: exits with 1 each time"],
    ["watch", "works", "DaemonSet socket-watch", 'state="directory"'],
    ["alert", "plain", "alert RuntimeSocketIsDirectory", "after one minute"],
  ],
  groups: [
    ["pods", "pods that mount the socket of the node", ["typed", "parent", "untyped"]],
    ["path", "the path over time", ["there", "away", "made", "never"]],
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
    ["made", "watch", "plain", "reported by"],
    ["watch", "alert", "plain", "Prometheus"],
  ],
};
