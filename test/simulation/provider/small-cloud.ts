import type { ResourceModel } from "../../../simulation/cloud/model";
import { CloudError } from "../../../simulation/cloud/errors";
import { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

const cluster: ResourceModel = {
  type: "aws:eks/cluster:Cluster",
  autoname: { property: "name", maxLength: 20 },
  defaults: { deletionProtection: false },
  required: ["vpcConfig"],
  check: ({ version }) => (version === "1.0" ? [{ property: "version", reason: "too old" }] : []),
  immutable: ["name", "vpcConfig.subnetIds"],
  unique: ({ name }) => ({
    key: String(name),
    error: new CloudError("ResourceInUseException", `Cluster already exists with name: ${String(name)}`),
  }),
  id: ({ inputs }) => String(inputs["name"]),
  computed: ({ inputs }, id) => ({
    arn: `arn:aws:eks:ap-northeast-2:123456789012:cluster/${id}`,
    endpoint: `https://${id}.eks.amazonaws.com`,
    certificateAuthority: { data: "Q0E=" },
    identities: [{ oidcs: [{ issuer: `https://oidc.eks.amazonaws.com/id/${id}` }] }],
    vpcConfig: { clusterSecurityGroupId: `sg-${id}` },
    platformVersion: `eks.${String(inputs["version"])}`,
    __residents: 3,
  }),
  recomputes: (changed) => (changed.includes("version") ? ["platformVersion"] : []),
};

const role: ResourceModel = {
  type: "aws:iam/role:Role",
  autoname: { property: "name", prefix: "namePrefix" },
  deleteBeforeReplace: true,
  immutable: ["path"],
  id: (_, serial) => `role-${serial}`,
  derivedOutputs: ({ id }, cloud) => ({
    policies: cloud.find(secret.type).map(({ id: other }) => `${other} of ${id}`),
  }),
  seconds: { create: 100 },
};

const secret: ResourceModel = {
  type: "kubernetes:core/v1:Secret",
  autoname: { property: "metadata.name" },
  identity: ["metadata.name", "metadata.namespace"],
  immutable: ["metadata.name", "metadata.namespace", "type"],
  requiresReplace: (path, { inputs, provider }) =>
    path.startsWith("data") && (inputs["immutable"] === true || provider["enableSecretMutable"] !== "true"),
  normalize: (inputs) => ({ ...inputs, type: "Opaque" }),
  id: (_, serial) => `default/secret-${serial}`,
  computed: ({ provider }) => ({ token: "t", madeThrough: provider["kubeconfig"] }),
  secrets: ["token"],
};

/** A cloud with three models. A role takes 100 seconds to create; everything else takes one. */
export function smallCloud(): SimulatedCloud {
  return new SimulatedCloud({
    models: [cluster, role, secret],
    functions: {
      "aws:index/getRegion:getRegion": ({ verbose }) => ({ region: "ap-northeast-2", verbose }),
      "aws:ssm/getParameter:getParameter": () => {
        throw new CloudError("ParameterNotFound", "there is none");
      },
      "aws:index/broken:broken": () => {
        throw new Error("broken");
      },
    },
    account: {
      accountId: "123456789012",
      region: "ap-northeast-2",
      partition: "aws",
      zones: ["ap-northeast-2a"],
      caller: "arn:aws:iam::123456789012:user/me",
      gpuVcpuQuota: 8,
    },
  });
}
