/** The commands that read an AWS account before anything is created. They are one bundle. */
export { runPreflight } from "./preflight";
