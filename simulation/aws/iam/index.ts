import type { Kind } from "../../world/kind";
import { policy, rolePolicy, rolePolicyAttachment } from "./policies";
import { role } from "./role";

export const iamKinds: readonly Kind[] = [role, rolePolicy, rolePolicyAttachment, policy];
