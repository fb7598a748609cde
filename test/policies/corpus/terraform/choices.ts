/** What the Terraform modules or the files around them chose, where a better choice is there. */
export interface Choices {
  /** Who reaches the public endpoint of the cluster. */
  readonly publicAccessCidrs: readonly string[];
  readonly authenticationMode: "API" | "API_AND_CONFIG_MAP";
  /** The role of the system nodes holds the rights of the controllers, or each controller has a role of its own. */
  readonly controllerRights: "node role" | "pod identity";
  /** How far the answers of the metadata service travel: 2 reach every pod. */
  readonly metadataHops: number;
  /** The root volume of each group, or what the AMI brings: the module drops `disk_size` with a launch template. */
  readonly rootGiB: { readonly primary: number; readonly gpu: number } | "of the AMI";
  /** How EKS replaces nodes: by default it starts new ones first, beyond the largest size. */
  readonly updateStrategy: "DEFAULT" | "MINIMAL";
  /** AMI releases and add-ons stay what they are, or follow what AWS recommends on the day. */
  readonly versions: "pinned" | "newest";
  /** The ways by which nodes reach each other's NCCL ports: two toggles, of which either is enough. */
  readonly nccl: { readonly nodeToNode: boolean; readonly vpcWide: boolean };
}

/** The environment as it was. */
export const asItWas: Choices = {
  publicAccessCidrs: ["0.0.0.0/0"],
  authenticationMode: "API_AND_CONFIG_MAP",
  controllerRights: "node role",
  metadataHops: 2,
  rootGiB: "of the AMI",
  updateStrategy: "DEFAULT",
  versions: "newest",
  nccl: { nodeToNode: true, vpcWide: true },
};

/** The environment as it was meant. */
export const asMeant: Choices = {
  publicAccessCidrs: ["198.51.100.7/32"],
  authenticationMode: "API",
  controllerRights: "pod identity",
  metadataHops: 1,
  // What the original asked for in disk_size, and never got.
  rootGiB: { primary: 30, gpu: 100 },
  updateStrategy: "MINIMAL",
  versions: "pinned",
  nccl: { nodeToNode: true, vpcWide: true },
};

/** Tags of everything that the EKS module made. */
export const tags = { Environment: "cloudneta-lab", Terraform: "true", Week: "aews-5w" };
export const clusterName = "myeks";
export const kubernetesVersion = "1.35";
