/**
 * Whether an object of the process, such as a module of the SDK, does not have a change of this package yet. It is marked: several
 * copies of this package in one process share it.
 */
export function isFirstChange(object: object, change: string): boolean {
  const mark = Symbol.for(`eks-gpu-lab.${change}`);
  return !(mark in object) && Reflect.defineProperty(object, mark, { value: true });
}
