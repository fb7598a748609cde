/** Where a DCGM engine is looked for: `localhost:5555`, `$(NODE_IP):5555`, `nvidia-dcgm.gpu-operator.svc:5555`. */

/** Whether an address is on the node itself, or in the pod where that has a network of its own. */
export function isLocal(address: string): boolean {
  return /^\s*(?:localhost(?![\w.-])|127\.|\[?::1)/i.test(address);
}

/** Whether an address is that of a Kubernetes Service, which only the cluster's own DNS knows. */
export function isService(address: string): boolean {
  return /\.svc(?![\w-])/i.test(address);
}

/** Whether an address is that of the Service which the GPU Operator makes with `dcgm.enabled`. */
export function isOperatorService(address: string): boolean {
  return /^\s*nvidia-dcgm(?![\w-])/i.test(address);
}
