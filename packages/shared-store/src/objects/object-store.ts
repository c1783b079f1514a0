
/** What every operation takes. */
export interface AbortOptions {
  signal?: AbortSignal | undefined
}

/** An object in a list. Some stores tell more of it: a directory would have to look at each file. */
export interface ListedObject {
  key: string
}

export interface ObjectInfo extends ListedObject {
  /** In bytes. */
  size: number
  /** By the store's clock, for people: nothing is decided by it. */
  modified: Date
}

export interface GetObjectOptions extends AbortOptions {
  /** The first byte to read. */
  offset?: number
  /** Maximum number of bytes to read. An object that ends earlier yields fewer. */
  length?: number
}

export interface PutObjectOptions extends AbortOptions {
  /** Whether to send one request at most. If it fails, the object may be there all the same, or come later. */
  isSentOnce?: boolean
}

export interface ListObjectsOptions extends AbortOptions {
  /** List only keys behind this one. */
  after?: string
  /** Maximum keys that the caller takes: a list of more may end with an error. By default there is no limit. */
  most?: number
}

/**
 * Objects by key, which several nodes share: an S3 bucket's prefix, or a directory of a shared file system. Keys are
 * names separated by `/`, where no key is another one's directory.
 *
 * Every method sees what any node has put or deleted before the method was called. A list has every object that was
 * there from its beginning to its end; of those that come or go meanwhile it may have any.
 */
export interface ObjectStore {
  /**
   * Read an object, or a part of it.
   *
   * @throws {NotFoundError} there is no such object (the error's `name` counts, not its class)
   */
  get (key: string, options?: GetObjectOptions): Promise<Uint8Array>
  /** Write a whole object, or replace it. When this returns, it is durable and every node sees it. */
  put (key: string, bytes: Uint8Array, options?: PutObjectOptions): Promise<void>
  /** @returns undefined if there is no such object */
  stat (key: string, options?: AbortOptions): Promise<ObjectInfo | undefined>
  /** Delete objects. Those that are not there are fine. */
  delete (keys: readonly string[], options?: AbortOptions): Promise<void>
  /** Pages of the objects whose keys begin with `prefix`, in the order of the bytes of their keys. */
  list (prefix: string, options?: ListObjectsOptions): AsyncIterable<ListedObject[]>
}
