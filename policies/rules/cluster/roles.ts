export const role = "aws:iam/role:Role";
/** A managed policy on a role. */
export const attachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
/** An inline policy of a role. */
export const inlinePolicy = "aws:iam/rolePolicy:RolePolicy";
/** A managed policy of one's own. */
export const policy = "aws:iam/policy:Policy";
