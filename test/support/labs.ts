import { exampleOf, togglesOf, type Lab, type Toggle } from "../../stacks/run/lab";

/** The remedies of a lab as switches with its fault: what each is turned on with, and what that changes. */
export function remediesOf(lab: Lab, now: Date): Toggle[] {
  const [fault] = togglesOf(lab, now);
  return Object.entries(lab.remedies ?? {}).map(([name, { needs, changes }]) => ({
    name,
    config: [...(fault?.config ?? []), `remedy=${name}`, ...exampleOf(needs)],
    changes,
  }));
}

/** The rules that reject the fault of a lab on a resource, besides the rule on the configuration of the stack. */
export const namedRules: Readonly<Record<string, readonly string[]>> = {
  "device-plugin": ["device-plugin-enabled"],
  "nccl-block": ["experiment-toggle-left-on"],
  "node-health": ["experiment-toggle-left-on"],
  "gpu-rollout": ["gpu-rollout-deadlock"],
  "model-server": ["model-fits-gpu"],
  "runtime-socket": ["hostpath-socket-type"],
};
