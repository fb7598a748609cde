/** What uses the simulation or reads the configuration of a lab. It shares most of its code, so it is one bundle. */
export { runPin } from "./pin";
export { runPreflight } from "./preflight";
export { runRehearse } from "./rehearse";
export { withReplacements } from "./replacements";
