/** What the rules read: values that may be unknown, and what follows from them. */
export { Reader } from "../../components/core/reader/reader";
export { compare, equals, Reading } from "../../components/core/reader/reading";
export { all, any, not, openPaths, some, Undetermined, unknownSentinels } from "../../components/core/reader/truth";
export type { Truth } from "../../components/core/reader/truth";
