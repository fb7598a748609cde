import { kubernetesVersion, pinnedAddons } from "./versions";

/** The form of an exact version of an EKS add-on, with made-up numbers. */
export const addonVersionForm = "v1.2.3-eksbuild.4";

/** One exact version of an EKS add-on. */
export const exactAddonVersion = /^v\d+\.\d+\.\d+-eksbuild\.\d+$/;

/** A version of an add-on that a fix shows: the pinned one, or the form if none is pinned. */
export function exampleAddonVersion(addonName: string): string {
  return pinnedAddons[kubernetesVersion]?.[addonName] ?? addonVersionForm;
}
