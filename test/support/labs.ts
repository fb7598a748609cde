import { exampleOf, switchesOf, type Lab, type Switch } from "../../stacks/lab";

/** The remedies of a lab as switches beside its fault: what each is turned on with, and what that changes. */
export function remediesOf(lab: Lab, now: Date): Switch[] {
  const [fault] = switchesOf(lab, now);
  return Object.entries(lab.remedies ?? {}).map(([name, { needs, changes }]) => ({
    name,
    config: [...(fault?.config ?? []), `remedy=${name}`, ...exampleOf(needs)],
    changes,
  }));
}
