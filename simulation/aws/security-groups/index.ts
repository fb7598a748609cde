import type { Kind } from "../../world/kind";
import { egressRule, ingressRule } from "./rule";
import { defaultSecurityGroup, securityGroup } from "./security-group";

export const securityGroupKinds: readonly Kind[] = [securityGroup, defaultSecurityGroup, ingressRule, egressRule];
