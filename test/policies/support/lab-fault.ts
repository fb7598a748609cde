/** A day on which the fault of {@link faultOn} is meant. */
export const now = new Date("2026-11-20T12:00:00Z");

/** Configuration of a stack whose lab's fault is on, with an end. */
export const faultOn = { "eks-gpu-lab:fault": "on", "eks-gpu-lab:expires": "2026-11-25" };
