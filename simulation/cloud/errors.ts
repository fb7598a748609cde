/** The error of a cloud API that rejects a request. The request has changed nothing. */
export class CloudError extends Error {
  /**
   * @param code the error code of the API, e.g. `ResourceInUseException`
   * @param explanation the message of the API
   */
  constructor(
    readonly code: string,
    readonly explanation: string,
  ) {
    super(`${code}: ${explanation}`);
    this.name = "CloudError";
  }
}

/** An object that a request names. @throws CloudError when it does not exist */
export function existing<T>(object: T | undefined, missing: CloudError): T {
  if (object === undefined) throw missing;
  return object;
}

/** A create or an update that changed the cloud and then failed: the object exists and is not ready. */
export class IncompleteError extends Error {
  constructor(
    readonly id: string,
    readonly reason: string,
  ) {
    super(reason);
    this.name = "IncompleteError";
  }
}

/** The provider crashed during a request. */
export class ProviderCrash extends Error {}
