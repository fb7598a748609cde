/** The commands that read a cluster. They share most of their code, so they are one bundle. */
export { runDrill } from "./drill";
export { runGpu } from "./gpu";
export { runLeftovers } from "./leftovers";
export { runTriage } from "./triage";
