/**
 * What names, labels and ports are made of.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */

/** Says what a text must be where it is not. */
export type Syntax = (text: string) => string | undefined;

function syntax(what: string, longest: number, pattern: RegExp): Syntax {
  return (text) =>
    text.length <= longest && pattern.test(text) ? undefined : `must be ${what} of at most ${longest} characters`;
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const word = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?";

export const dnsLabel = syntax("a DNS label", 63, new RegExp(`^${label}$`));
export const dnsSubdomain = syntax("a DNS subdomain", 253, new RegExp(`^${label}(\\.${label})*$`));
/** Of a Service: it begins with a letter. */
export const serviceName = syntax("a DNS label, a letter first,", 63, new RegExp(`^(?![0-9])${label}$`));
/** Of a CronJob: eleven characters fewer than a Job's pods bear, for the time that each Job's name ends with. */
export const cronJobName = syntax("a DNS subdomain", 52, new RegExp(`^${label}(\\.${label})*$`));
export const portName = syntax("a port's name", 15, /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
export const labelValue = syntax("a label's value", 63, new RegExp(`^(${word})?$`));
export const dataKey = syntax("a key of data", 253, /^[-._a-zA-Z0-9]+$/);
export const variableName: Syntax = (text) => (/^[ -<>-~]+$/.test(text) ? undefined : "must be a variable's name");

const bareKey = syntax("a label's key", 63, new RegExp(`^${word}$`));

/** `name`, or `domain/name`. */
export const labelKey: Syntax = (text) => {
  const [name = "", domain, ...more] = text.split("/").reverse();
  if (more.length > 0) return "must be a label's key, with one slash at most";
  return bareKey(name) ?? (domain === undefined ? undefined : dnsSubdomain(domain));
};

/** As of a label, with capitals in its domain. */
export const annotationKey: Syntax = (text) => labelKey(text.toLowerCase());
