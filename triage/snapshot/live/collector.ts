import { defaultOperatorNamespace } from "../cluster-snapshot";
import { uniqueUnread, type Dump, type LogExcerpt, type Unread } from "../dump";
import { ObjectReader } from "../objects/object-reader";
import { groupByResource, resourceNames, resources, type KubernetesObject, type Resource } from "../objects/resources";
import { Unreachable, type Get } from "../../../components/core/kubernetes-api/api";

/** The part of a resource to list. */
interface Query {
  /** @default all namespaces */
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

interface LogQuery extends Required<Omit<LogExcerpt, "lines">> {
  /** Whether to read the log of the run before the current one. */
  readonly isPrevious: boolean;
  readonly lines: number;
}

/** Larger pages need more memory, smaller ones more round trips. */
const pageSize = 300;
/** About 20,000 objects. Longer lists are cut, and the report says so. */
const maxPages = 67;
/** More requests at a time would be throttled by the API server. */
const maxRequests = 16;

/** What one call read. Calls run concurrently, so each keeps its result apart. */
interface Result {
  readonly objects: KubernetesObject[];
  readonly unread: Unread[];
}

interface Listing {
  readonly result: Result;
  readonly resource: Resource;
  readonly query: Query;
}

type Answer = Awaited<ReturnType<Get>>;
type Failure = Extract<Answer, { readonly ok: false }>;

/**
 * Reads objects and records what could not be read. A list that is denied is skipped. If the server does not respond at
 * all, reading fails, unless the server has responded before. Calls may run concurrently: at most 16 requests are sent
 * at a time, and the results are in the order of the calls, whatever the order of the responses.
 */
export class Collector {
  readonly read = new Set<Resource>();
  private readonly results: Result[] = [];
  private readonly requests = new Limiter(maxRequests);
  private answered = false;

  constructor(private readonly get: Get) {}

  get objects(): readonly KubernetesObject[] {
    return this.results.flatMap(({ objects }) => objects);
  }

  get unread(): readonly Unread[] {
    return uniqueUnread(this.results.flatMap(({ unread }) => unread));
  }

  /** What was read so far, without logs. */
  get dump(): Dump {
    return {
      read: resourceNames.filter((name) => this.read.has(name)),
      unread: this.unread,
      objects: groupByResource(this.objects),
      ...{ logs: [], journal: [] },
    };
  }

  /**
   * Lists a resource. If the user may not list it in all namespaces, tries the `fallback` namespaces.
   *
   * @returns the objects, which are also added to `objects`
   */
  async list(resource: Resource, query: Query = {}, fallback: readonly string[] = []): Promise<KubernetesObject[]> {
    const result = this.newResult();
    const status = await this.listInto(result, resource, query);
    if (status !== 403 || query.namespace !== undefined) return result.objects;
    const parts = [...new Set(fallback)].map(async (namespace) => {
      const part: Result = { objects: [], unread: [] };
      await this.listInto(part, resource, { ...query, namespace });
      return part;
    });
    for (const part of await Promise.all(parts)) {
      result.objects.push(...part.objects);
      result.unread.push(...part.unread);
    }
    return result.objects;
  }

  /** Lists what shows whether a device plugin runs: its DaemonSets, and the GPU Operator. */
  listOperator(): Promise<unknown> {
    const operator = { labelSelector: "app.kubernetes.io/component=gpu-operator" };
    return Promise.all([
      this.list("daemonsets", {}, [defaultOperatorNamespace, "kube-system"]),
      this.list("deployments", operator, [defaultOperatorNamespace]),
      this.list("clusterpolicies"),
    ]);
  }

  /** Reads one object by its name; undefined if it does not exist or may not be read. */
  async getOne(resource: Resource, name: string, namespace?: string): Promise<KubernetesObject | undefined> {
    const result = this.newResult();
    const query = namespace === undefined ? {} : { namespace };
    const answer = await this.request(pathOf(resource, query, name));
    if (answer.ok) return this.keep(result, resource, ObjectReader.of(answer.body, resource));
    if (answer.status === 404) this.read.add(resource);
    else result.unread.push(unreadOf(`${resource}/${name}`, query, reasonOf(answer)));
    return undefined;
  }

  /** The last lines of the log of a container, or of its previous run. */
  async log({ namespace, pod, container, isPrevious, lines }: LogQuery): Promise<string> {
    const result = this.newResult();
    const search = new URLSearchParams({
      container,
      tailLines: String(lines),
      ...(isPrevious && { previous: "true" }),
    });
    const answer = await this.request(`/api/v1/namespaces/${namespace}/pods/${pod}/log?${search.toString()}`);
    if (answer.ok) return typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    // A pod that has not started has no log.
    if (answer.status !== 400 && answer.status !== 404) {
      result.unread.push(unreadOf("logs", { namespace }, reasonOf(answer)));
    }
    return "";
  }

  private newResult(): Result {
    const result: Result = { objects: [], unread: [] };
    this.results.push(result);
    return result;
  }

  /** Adds the pages of a list to a result. @returns the status of the request that failed; undefined if none did */
  private async listInto(result: Result, resource: Resource, query: Query): Promise<number | undefined> {
    const listing = { result, resource, query };
    return this.readPages(listing, this.requestPage(listing), 1);
  }

  /** A call for each page, so that only one page is in memory. */
  private async readPages(listing: Listing, page: Promise<Answer>, count: number): Promise<number | undefined> {
    const { result, resource, query } = listing;
    const answer = await page;
    if (!answer.ok) return this.endListing(listing, answer, count);
    const list = ObjectReader.of(answer.body, resource);
    const token = list.at("metadata").at("continue").string() ?? "";
    const next = token !== "" && count < maxPages ? this.requestPage(listing, token) : undefined;
    // The request leaves before this page is read.
    await new Promise(setImmediate);
    for (const item of list.at("items").items()) this.keep(result, resource, item);
    this.read.add(resource);
    if (next) return this.readPages(listing, next, count + 1);
    if (token !== "") result.unread.push(cutShort(result, resource, query));
    return undefined;
  }

  private endListing({ result, resource, query }: Listing, failure: Failure, count: number): number | undefined {
    // The rest of a long list can expire during the read.
    if (failure.status === 410 && count > 1) {
      result.unread.push(cutShort(result, resource, query));
      return undefined;
    }
    // A resource that the API server does not know has no objects.
    if (failure.status === 404 && query.namespace === undefined) this.read.add(resource);
    else result.unread.push(unreadOf(resource, query, reasonOf(failure)));
    return failure.status;
  }

  private requestPage({ resource, query }: Listing, token?: string): Promise<Answer> {
    return this.request(pathOf(resource, query, undefined, { limit: String(pageSize), continue: token }));
  }

  private async request(path: string): Promise<Answer> {
    try {
      const answer = await this.requests.run(() => this.get(path));
      this.answered = true;
      return answer;
    } catch (error) {
      if (!(error instanceof Unreachable) || !this.answered) throw error;
      return { ok: false, status: 0, why: error.why };
    }
  }

  private keep(result: Result, resource: Resource, item: ObjectReader): KubernetesObject {
    const object = resources[resource].read(item);
    result.objects.push(object);
    this.read.add(resource);
    return object;
  }
}

/** Runs a limited number of tasks at a time, in the order in which they arrive. */
class Limiter {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly max: number) {}

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await task();
    } finally {
      // A waiting task takes over the place.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

function cutShort({ objects }: Result, resource: Resource, query: Query): Unread {
  return unreadOf(resource, query, `only the first ${objects.length} objects were read`);
}

function unreadOf(what: string, { namespace }: Query, why: string): Unread {
  return { what, where: namespace === undefined ? "all namespaces" : `namespace ${namespace}`, why };
}

function reasonOf({ status, why }: { status: number; why: string }): string {
  if (status === 403) return "access denied (403)";
  return status === 0 ? why : `${why} (${status})`;
}

function pathOf(resource: Resource, query: Query, name?: string, paging: Partial<Record<string, string>> = {}): string {
  const { namespace, fieldSelector, labelSelector } = query;
  const entries = Object.entries({ fieldSelector, labelSelector, ...paging });
  const search = new URLSearchParams(entries.filter((one): one is [string, string] => one[1] !== undefined));
  const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const tail = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  const text = search.toString();
  return `${resources[resource].api}${place}/${resource}${tail}${text === "" ? "" : `?${text}`}`;
}
