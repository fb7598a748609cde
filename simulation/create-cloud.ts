import { defaultAccount } from "./aws/account";
import { awsFunctions, awsModels, eksModels } from "./aws/models";
import type { Clock } from "./cloud/clock";
import { type Account, SimulatedCloud } from "./cloud/simulated-cloud";
import { kubernetesModels } from "./kubernetes/kinds";

/** What may be chosen of a simulated cloud. */
export interface CloudOptions {
  /** @default a clock that never makes anyone wait */
  readonly clock?: Clock;
  /** Facts that differ from those of the default account. @default none - a new account in Seoul */
  readonly account?: Partial<Account>;
}

/** An empty account with everything that the stacks of this project use: network, IAM, KMS, logs, EKS and Kubernetes. */
export function createCloud({ clock, account }: CloudOptions = {}): SimulatedCloud {
  return new SimulatedCloud({
    models: [...awsModels, ...eksModels, ...kubernetesModels],
    functions: awsFunctions,
    account: { ...defaultAccount(), ...account },
    ...(clock && { clock }),
  });
}
