/** The commands that read the configuration of a lab. They share most of their code, so they are one bundle. */
export { runPin } from "./pin";
export { runPreflight } from "./preflight";
export { runRehearse } from "./rehearse";
