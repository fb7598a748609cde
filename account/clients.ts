import { asked, AwsError, type AwsAnswer } from "../sessions/aws-error";
import { awsClients, type AccountPlace, type AwsClients, type Endpoint } from "../sessions/clients";

type Services = { readonly [Name in keyof AwsClients]: Awaited<ReturnType<AwsClients[Name]>> };

/** Asks the services of one account and region. */
export interface Clients {
  readonly region: string;
  /**
   * Sends one request.
   *
   * @param action the IAM action, e.g. `ec2:DescribeInstances`
   * @throws AwsError
   */
  ask<Name extends keyof Services, T extends AwsAnswer>(
    name: Name,
    action: string,
    request: (service: Services[Name]) => Promise<T>,
  ): Promise<T>;
}

/** Makes the clients of an account. */
export function accountClients(place: AccountPlace, other?: Endpoint): Clients {
  const { region } = place;
  const clients = awsClients(place, other);
  const serviceOf = <Name extends keyof Services>(name: Name) => clients[name]() as Promise<Services[Name]>;
  return {
    region,
    ask: (name, action, request) =>
      asked({ ...place, cluster: "NAME", group: "" }, action, async () => request(await serviceOf(name))),
  };
}

/** Whether the error says that there is nothing of that name. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof AwsError && (error.kind === "missing" || /^(?:ParameterNotFound|NoSuchResource)/.test(error.code))
  );
}
