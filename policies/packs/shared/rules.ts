import { pack } from "../../engine/define-pack";
import { lab } from "../lab/rules";
import { version } from "./package.json";

/** The rules for a shared cluster. */
export const shared = pack({
  name: "eks-gpu-lab-shared",
  version,
  description:
    "Rules for shared GPU clusters on Amazon EKS: the rules of a lab, without experiments and with mandatory security rules.",
  extends: lab,
  settings: {
    // Advice in a lab, where no other user is affected, and someone watches the session.
    "cluster-access-mode": "mandatory",
    "cluster-logging": "mandatory",
    "cluster-secrets-encrypted": "mandatory",
    "gpu-lease-present": "mandatory",
    "node-role-minimal": "mandatory",
    "pod-sensitive-host-path": "mandatory",
    "rbac-wildcards": "mandatory",
    // No stack is a lab stack.
    "experiment-toggle-left-on": { labStacks: [] },
    "device-plugin-enabled": { labStacks: [] },
    "gpu-rollout-deadlock": { labStacks: [] },
    "hostpath-socket-type": { labStacks: [] },
    "model-fits-gpu": { labStacks: [] },
    "gpu-pod-shape": { labStacks: [] },
  },
});
