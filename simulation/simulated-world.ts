import { defaultAccount } from "./aws/account";
import { eksKinds } from "./aws/eks";
import { awsFunctions, awsKinds } from "./aws";
import { kubernetesKinds } from "./kubernetes";
import type { Clock } from "./world/clock";
import { World, type Account } from "./world/world";

/** What may be chosen of a simulated world. */
export interface SimulatedWorldOptions {
  /** @default a clock that never makes anyone wait */
  readonly clock?: Clock;
  /** Facts that differ from those of the default account. @default none - a new account in Seoul */
  readonly account?: Partial<Account>;
}

/** An empty account with everything that the stacks of this project use: network, IAM, KMS, logs, EKS and Kubernetes. */
export function simulatedWorld({ clock, account }: SimulatedWorldOptions = {}): World {
  return new World({
    kinds: [...awsKinds, ...eksKinds, ...kubernetesKinds],
    functions: awsFunctions,
    account: { ...defaultAccount(), ...account },
    ...(clock && { clock }),
  });
}
