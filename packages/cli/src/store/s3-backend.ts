import { parseS3Url, S3Blockstore, S3Objects, BLOCKS, multihashOf } from '@ipfsz/blockstore-s3'
import { StoreTraffic } from './store-traffic.ts'
import type { BlockStorage, StoredBlock } from './block-storage.ts'
import type { StoreBackend } from './store-backend.ts'
import type { S3RequestEvent } from '@ipfsz/blockstore-s3'
import type { CID } from 'multiformats/cid'

/** A block, as a listing describes it. */
interface ListedBlock extends StoredBlock {
  size: number
}

/**
 * A store in an S3 bucket, below a prefix. Asks nothing of it.
 *
 * @param url - `s3://BUCKET/PREFIX?endpoint=URL&region=REGION`. Credentials come from the environment and from profiles
 * @throws {S3UrlError}
 */
export function s3Backend (url: string): StoreBackend {
  const traffic = new StoreTraffic()
  const init = { ...parseS3Url(url), onRequest: (event: S3RequestEvent) => { count(event, traffic) } }
  const objects = new S3Objects(init)
  // a delete is not sent again: the first one could arrive late, when another node has stored the same again
  const once = new S3Objects({ ...init, attempts: 1 })

  return {
    name: url,
    isRemote: true,
    traffic,
    objects,
    unmarked: objects,
    records: {
      get: async (...args) => objects.get(...args),
      put: async (...args) => objects.put(...args),
      stat: async (...args) => objects.stat(...args),
      delete: async (...args) => once.delete(...args),
      list: (...args) => objects.list(...args)
    },
    storage: () => new S3Storage(objects, once),
    async isEmpty () {
      for await (const page of objects.list('')) {
        if (page.length > 0) {
          return false
        }
      }

      return true
    }
  }
}

/** Each attempt counts: that is what a provider charges for. */
function count (
  { operation, status, error, sent, received, milliseconds }: S3RequestEvent,
  traffic: StoreTraffic
): void {
  const kind = operation === 'head' ? 'has' : operation === 'create' ? 'put' : operation
  const outcome = status == null
    ? error === 'AbortError' ? 'aborted' : 'failed'
    : status < 400 ? 'ok' : status === 404 ? 'missing' : 'failed'

  traffic.add(kind, outcome, { bytes: sent + received, seconds: milliseconds / 1000 })
}

/** Blocks as objects. Each is durable once it is put. */
class S3Storage extends S3Blockstore implements BlockStorage {
  readonly #once: S3Objects
  /** The puts that run. */
  readonly #putting = new Set<Promise<CID>>()

  /** @param once - the same objects, for requests that are sent once */
  constructor (objects: S3Objects, once: S3Objects) {
    super(objects)
    this.#once = once
  }

  override async put (...args: Parameters<S3Blockstore['put']>): Promise<CID> {
    const putting = super.put(...args)
    this.#putting.add(putting)

    return putting.finally(() => this.#putting.delete(putting))
  }

  async sync (): Promise<void> {
    // put has waited for it
  }

  async syncLater (): Promise<void> {
    // whoever put it has waited for it
  }

  async settled (): Promise<void> {
    while (this.#putting.size > 0) {
      await Promise.allSettled(this.#putting)
    }
  }

  async * files (options?: Parameters<BlockStorage['files']>[0]): AsyncGenerator<ListedBlock[]> {
    for await (const page of this.objects.list(BLOCKS, options)) {
      yield page.flatMap(({ key, size }) => {
        const multihash = multihashOf(key)

        return multihash == null ? [] : [{ multihash, path: key, size }]
      })
    }
  }

  async sizeOf (block: StoredBlock): Promise<number> {
    return (block as ListedBlock).size
  }

  async remove (...[blocks, options]: Parameters<BlockStorage['remove']>): Promise<void> {
    await this.#once.delete(blocks.map(({ path }) => path), options)
  }
}
