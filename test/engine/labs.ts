/** Something about a lab that is switched on and off while it runs. */
export interface Switch {
  readonly name: string;
  /** `key=value` texts laid over the stack's configuration. */
  readonly config: readonly string[];
  /** All that turning it on changes in the cloud; turning it off does the reverse. */
  readonly changes: readonly string[];
}

export interface EngineLab {
  readonly stack: string;
  readonly switches: readonly Switch[];
}

/** The labs that run on the real engine. */
export const engineLabs: readonly EngineLab[] = [
  {
    stack: "gpu-lab",
    switches: [
      {
        name: "NCCL blocked",
        config: ["nccl=blocked"],
        changes: [
          "delete SecurityGroupIngressRule gpu-lab-firewall-auxiliary-vpc-wide",
          "delete SecurityGroupIngressRule gpu-lab-firewall-node-to-node",
        ],
      },
      {
        name: "the GPU Operator installed",
        config: ["gpuOperator.enabled=true"],
        changes: ["create Namespace gpu-lab-gpu-operator-namespace", "create Release gpu-lab-gpu-operator"],
      },
    ],
  },
];

/** What undoes changes. */
export function reversed(changes: readonly string[]): string[] {
  const opposite = (line: string) =>
    line.replace(/^(create|delete) /, (_, op: string) => (op === "create" ? "delete " : "create "));
  return changes.map(opposite).sort();
}
