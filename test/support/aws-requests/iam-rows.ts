import type { Row } from "./row";

export const iamRows: Readonly<Record<string, Row>> = {
  "aws:iam/role:Role": {
    requests: [
      {
        ...{ service: "iam", operation: "CreateRole" },
        members: { name: "RoleName", assumeRolePolicy: "AssumeRolePolicyDocument" },
        computed: [
          { from: [], params: ({ name }, resource) => (name === undefined ? { RoleName: autoname(resource) } : {}) },
        ],
      },
    ],
    notSent: { forceDetachPolicies: "the plugin applies it when it deletes the role" },
    policies: { assumeRolePolicy: "trust" },
  },
  "aws:iam/rolePolicy:RolePolicy": {
    requests: [
      {
        ...{ service: "iam", operation: "PutRolePolicy" },
        members: { role: "RoleName", policy: "PolicyDocument", name: "PolicyName" },
        computed: [
          { from: [], params: ({ name }, resource) => (name === undefined ? { PolicyName: autoname(resource) } : {}) },
        ],
      },
    ],
    policies: { policy: "inline" },
  },
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {
    requests: [{ service: "iam", operation: "AttachRolePolicy", members: { role: "RoleName" } }],
  },
  "aws:iam/instanceProfile:InstanceProfile": {
    requests: [
      {
        ...{ service: "iam", operation: "CreateInstanceProfile", only: ["name", "tags"] },
        members: { name: "InstanceProfileName" },
      },
      {
        ...{ service: "iam", operation: "AddRoleToInstanceProfile" },
        members: { role: "RoleName" },
        computed: [{ from: [], params: ({ name }) => ({ InstanceProfileName: name }) }],
      },
    ],
  },
  "aws:iam/openIdConnectProvider:OpenIdConnectProvider": {
    requests: [
      {
        ...{ service: "iam", operation: "CreateOpenIDConnectProvider" },
        members: { clientIdLists: "ClientIDList", thumbprintLists: "ThumbprintList" },
      },
    ],
  },
};

/** The name that Pulumi gives to a resource without one. */
const autoname = ({ name }: { readonly name: string }) => `${name}-1a2b3c4`;
