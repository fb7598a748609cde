/** Arguments that only TypeScript programs have, and what a program in another language does instead. */
export const omittedArguments: Readonly<Record<string, string>> = {
  /** A resource that was made by the same program. */
  cluster: "set the resource option deletedWith to the cluster",
};
