/** An answer of a cloud API that refuses a request: nothing was changed. */
export class CloudError extends Error {
  /**
   * @param code the API's own error code, e.g. `ResourceInUseException`
   * @param explanation the API's own words
   */
  constructor(
    readonly code: string,
    readonly explanation: string,
  ) {
    super(`${code}: ${explanation}`);
    this.name = "CloudError";
  }
}

/** A create that made an object and then failed: the object is there, and its caller must know. */
export class IncompleteError extends Error {
  constructor(
    /** The object that was made. */
    readonly id: string,
    readonly reason: string,
  ) {
    super(reason);
    this.name = "IncompleteError";
  }
}
