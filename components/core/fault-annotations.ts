/** How an object that injects a fault says so in the cluster, with the word `on`. */
export const faultAnnotation = "eks-gpu-lab/fault";

/** Until when it is meant. */
export const expiresAnnotation = "eks-gpu-lab/expires";
