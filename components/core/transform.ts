import type { CustomResourceOptions } from "@pulumi/pulumi";

/**
 * The escape hatch of every component: adjusts one underlying resource before it is made, so that no argument of
 * a provider has to be copied into a component. Either values to lay over the arguments (top level only), or a
 * function that changes arguments and options in place.
 */
export type Transform<Args extends object> =
  Partial<Args> | ((args: Args, opts: CustomResourceOptions, name: string) => void);

/** Applies a {@link Transform} to copies of the arguments and options: what the resource's constructor takes. */
export function transformed<Args extends object>(
  transform: Transform<Args> | undefined,
  name: string,
  args: Args,
  opts: CustomResourceOptions,
): [string, Args, CustomResourceOptions] {
  const changed = { ...args };
  const changedOpts = { ...opts };
  if (typeof transform === "function") transform(changed, changedOpts, name);
  else Object.assign(changed, transform);
  return [name, changed, changedOpts];
}
