import type { Properties } from "../../components/core/wire";

/** Whether a switch of a provider's configuration is on; configuration may travel as text. */
export function isOn(provider: Properties, name: string): boolean {
  return provider[name] === true || provider[name] === "true";
}
