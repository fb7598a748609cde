import { Agent, request as httpsRequest } from "node:https";
import type { Access } from "./control-plane";

export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly creationTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly [key: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The header Warning. */
  readonly warning: string | undefined;
}

/** An answer of the API server other than success. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    what: string,
    body: unknown,
  ) {
    super(`${what}: ${status} ${(body as { message?: string } | undefined)?.message ?? JSON.stringify(body)}`);
  }
}

/** The media types of patches. */
const patchTypes = {
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
} as const;

/** Path segment and scope of each kind, as the API server lists them. */
type Kinds = ReadonlyMap<
  string,
  { readonly resource: string; readonly namespaced: boolean; readonly isDeletable: boolean }
>;

/** A small client of the Kubernetes API. */
export class Client {
  private readonly agent: Agent;
  private readonly groups = new Map<string, Promise<Kinds>>();

  constructor(
    private readonly access: Access,
    private readonly token = access.adminToken,
  ) {
    this.agent = new Agent({ ca: access.ca, keepAlive: true });
  }

  request(method: string, path: string, body?: unknown, type = "application/json"): Promise<Answer> {
    const { resolve, reject, promise } = deferred<Answer>();
    const text = body === undefined ? "" : JSON.stringify(body);
    // Node.js sends the length of a body by itself only for some methods.
    const length = { "content-length": Buffer.byteLength(text) };
    const headers = { authorization: `Bearer ${this.token}`, "content-type": type, ...length };
    const sent = httpsRequest(new URL(path, this.access.server), { method, headers, agent: this.agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const warning = answer.headers["warning"];
        resolve({ status: answer.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()), warning });
      });
    });
    sent.on("error", reject);
    sent.end(text);
    return promise;
  }

  /** Server-side apply with strict validation. Returns the warnings of the API server. */
  async apply(manifest: unknown): Promise<{ readonly warning: string | undefined; readonly object: KubernetesObject }> {
    const path = await this.pathOf(manifest as KubernetesObject);
    const query = "fieldManager=test&fieldValidation=Strict&force=true";
    const answer = await this.request("PATCH", `${path}?${query}`, manifest, patchTypes.apply);
    this.require(answer, `apply ${path}`);
    return { warning: answer.warning, object: answer.body as KubernetesObject };
  }

  async create(manifest: KubernetesObject): Promise<KubernetesObject> {
    const path = (await this.pathOf(manifest)).replace(/\/[^/]+$/, "");
    const answer = await this.request("POST", `${path}?fieldValidation=Strict`, manifest);
    return this.require(answer, `create ${path}`) as KubernetesObject;
  }

  async merge(path: string, patch: unknown): Promise<KubernetesObject> {
    return this.require(
      await this.request("PATCH", path, patch, patchTypes.merge),
      `patch ${path}`,
    ) as KubernetesObject;
  }

  async get<T = KubernetesObject>(path: string): Promise<T> {
    return this.require(await this.request("GET", path), `get ${path}`) as T;
  }

  /** Undefined if the object does not exist. */
  async find<T = KubernetesObject>(path: string): Promise<T | undefined> {
    const answer = await this.request("GET", path);
    return answer.status === 404 ? undefined : (this.require(answer, `get ${path}`) as T);
  }

  /** Lets a namespace go, as its controller does when it is empty, without the controller's delay of 5 seconds. */
  async finalize(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${name}`;
    const namespace = await this.find(path);
    if (!namespace) return;
    const answer = await this.request("PUT", `${path}/finalize`, { ...namespace, spec: { finalizers: [] } });
    if (![404, 409].includes(answer.status)) this.require(answer, `finalize ${path}`);
  }

  async list<T = KubernetesObject>(path: string): Promise<T[]> {
    return (await this.get<{ readonly items: T[] }>(path)).items;
  }

  async delete(path: string, options: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const answer = await this.request("DELETE", path, { propagationPolicy: "Background", ...options });
    if (answer.status !== 404) this.require(answer, `delete ${path}`);
  }

  /** The path of an object. */
  async pathOf({ apiVersion = "", kind = "", metadata }: KubernetesObject): Promise<string> {
    const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = (await this.kindsOf(group)).get(kind) ?? (await this.readKinds(group)).get(kind);
    if (!known) throw new Error(`The API server has no ${apiVersion} ${kind}.`);
    const place = known.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
    return `${group}${place}/${known.resource}/${metadata.name}`;
  }

  /** The lists of all objects in namespaces, e.g. `/apis/apps/v1` and `deployments`. */
  async namespacedLists(): Promise<readonly (readonly [group: string, resource: string])[]> {
    type Group = { readonly preferredVersion: { readonly groupVersion: string } };
    const { groups } = await this.get<{ readonly groups: readonly Group[] }>("/apis");
    const others = groups.map(({ preferredVersion }) => preferredVersion.groupVersion);
    // Events are in two groups.
    const paths = ["/api/v1", ...others.filter((one) => !one.startsWith("events.")).map((one) => `/apis/${one}`)];
    const lists = await Promise.all(
      paths.map(async (path) => {
        const kinds = [...(await this.kindsOf(path)).values()];
        return kinds
          .filter((kind) => kind.namespaced && kind.isDeletable)
          .map(({ resource }) => [path, resource] as const);
      }),
    );
    return lists.flat();
  }

  private kindsOf(group: string): Promise<Kinds> {
    return this.groups.get(group) ?? this.readKinds(group);
  }

  /** Reads the kinds again, because a definition can have added one. */
  private readKinds(group: string): Promise<Kinds> {
    const kinds = this.listKinds(group);
    this.groups.set(group, kinds);
    kinds.catch(() => this.groups.delete(group));
    return kinds;
  }

  private async listKinds(group: string): Promise<Kinds> {
    type Row = {
      readonly name: string;
      readonly kind: string;
      readonly namespaced: boolean;
      readonly verbs: readonly string[];
    };
    const { resources } = await this.get<{ readonly resources: readonly Row[] }>(group);
    const own = resources.filter(({ name }) => !name.includes("/"));
    const isDeletable = (verbs: readonly string[]) => verbs.includes("deletecollection");
    return new Map(
      own.map(({ name, kind, namespaced, verbs }) => [
        kind,
        { resource: name, namespaced, isDeletable: isDeletable(verbs) },
      ]),
    );
  }

  private require({ status, body }: Answer, what: string): unknown {
    if (status >= 300) throw new Refused(status, what, body);
    return body;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { resolve, reject, promise };
}
