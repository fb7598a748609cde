import { defaultAccount, placeOf } from "./aws/account";
import { awsFunctions, awsModels, eksModels } from "./aws/models";
import type { Account, ResourceModel } from "./cloud/model";
import { SimulatedCloud } from "./cloud/simulated-cloud";
import { kubernetesModels } from "./kubernetes/kinds";

/** Options of a simulated cloud. */
export interface CloudOptions {
  /** Overrides of the default account, a new account in Seoul. */
  readonly account?: Partial<Account>;
  /** Models that replace those of the same type. @default [] */
  readonly models?: readonly ResourceModel[];
}

/** Creates an empty account, with models of all resources that the stacks of this project use. */
export function createCloud({ account, models = [] }: CloudOptions = {}): SimulatedCloud {
  return new SimulatedCloud({
    models: [...awsModels, ...eksModels, ...kubernetesModels, ...models],
    functions: awsFunctions,
    account: { ...defaultAccount(), ...account },
    placeOf,
    isGlobal: (type) => /^aws:(iam|budgets)\//.test(type),
  });
}
