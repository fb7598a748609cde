import type { Kind } from "../../world/kind";
import { accessEntry } from "./access/access-entry";
import { accessPolicyAssociation } from "./access/access-policy";
import { openIdConnectProvider } from "./access/oidc-provider";
import { podIdentityAssociation } from "./access/pod-identity";
import { addon } from "./addons/addon";
import { cluster } from "./cluster/cluster";
import { autoscalingGroup, instance } from "./nodes/machines";
import { nodeGroup } from "./nodes/node-group";

/** What the simulation knows of EKS, and of what EKS makes in EC2. */
export const eksKinds: readonly Kind[] = [
  cluster,
  nodeGroup,
  addon,
  accessEntry,
  accessPolicyAssociation,
  podIdentityAssociation,
  openIdConnectProvider,
  instance,
  autoscalingGroup,
];
