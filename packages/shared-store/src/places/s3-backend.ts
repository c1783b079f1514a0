import { parseS3Url, S3Objects } from '@ipfsz/blockstore-s3'
import { StoreMissingError } from '../errors.ts'
import { requestSignal } from './closing-time.ts'
import { readObject } from '../objects/read-object.ts'
import { OlderObjects } from '../older/older-objects.ts'
import { MARK_KEY } from './store-mark.ts'
import { StoreTraffic } from '../objects/store-traffic.ts'
import { StoreWatch } from '../objects/store-watch.ts'
import type { BackendInit, StoreBackend } from './store-backend.ts'
import type { StoreOutcome, StoreRequestKind } from '../objects/store-traffic.ts'
import type { S3RequestEvent } from '@ipfsz/blockstore-s3'

/** How long a look at a store may take that shows whether it answers, in milliseconds. It may be sent twice. */
const LOOK = { connectTimeout: 1500, responseTimeout: 1500, progressTimeout: 1500, attempts: 2 }

/**
 * For how long the store carries out the delete of a pin or a link after it was sent, in milliseconds. One that arrived
 * later could delete what somebody has pinned again.
 */
const RECORD_VALIDITY = 15_000

/** What a request of S3 is counted as. */
const KINDS: Readonly<Record<S3RequestEvent['operation'], StoreRequestKind>> = {
  create: 'put',
  delete: 'delete',
  get: 'get',
  head: 'has',
  list: 'list',
  put: 'put'
}

/**
 * A store in an S3 bucket, below a prefix. Asks nothing of it.
 *
 * @param url - `s3://BUCKET/PREFIX?endpoint=URL&region=REGION`. Credentials come from the environment and from profiles
 * @throws {S3UrlError}
 */
export function s3Backend (url: string, { signal }: BackendInit = {}): StoreBackend {
  const traffic = new StoreTraffic()
  let refusal: number | undefined
  const watch = new StoreWatch({
    name: url,
    isRemote: true,
    refusal: () => refusal,
    look: async signal => {
      refusal = undefined

      if (await readObject(looked, MARK_KEY, { offset: 0, length: 1, signal }) == null) {
        throw new StoreMissingError(url)
      }
    }
  })
  const init = {
    ...parseS3Url(url),
    signal: signal == null ? undefined : requestSignal(signal),
    onRequest: (event: S3RequestEvent) => { count(event, traffic) },
    onReceived: (status: number) => {
      // an answer that it is overloaded says as little as none
      if (!isOverloaded(status)) {
        watch.heard()
      }
    }
  }
  const objects = new S3Objects(init)
  // some requests are not sent again: the first one could arrive late, when another node has changed what it changes
  const once = new S3Objects({ ...init, attempts: 1 })

  // over connections of its own: those of a store that hangs are all taken
  const looked = new S3Objects({
    ...init,
    ...LOOK,
    // when it is overloaded, it may say for how long to wait: longer than a look takes
    onReceived: (status: number) => { refusal = isOverloaded(status) ? status : undefined }
  })

  return {
    name: url,
    isRemote: true,
    traffic,
    watch,
    objects: {
      get: async (...args) => objects.get(...args),
      put: async (key, bytes, { isSentOnce = false, signal } = {}) =>
        (isSentOnce ? once : objects).put(key, bytes, { signal }),
      stat: async (...args) => objects.stat(...args),
      delete: async (...args) => objects.delete(...args),
      list: (...args) => objects.list(...args)
    },
    unmarked: objects,
    records: {
      get: async (...args) => objects.get(...args),
      put: async (...args) => objects.put(...args),
      stat: async (...args) => objects.stat(...args),
      delete: async (keys, { signal } = {}) =>
        once.delete(keys, { signal, validity: objects.validFor(RECORD_VALIDITY) }),
      list: (...args) => objects.list(...args)
    },
    async open () {
      // there is nothing to make
    },
    older: () => new OlderObjects(objects, url),
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

function isOverloaded (status: number): boolean {
  return status >= 500 || status === 429
}

/** Each attempt counts: that is what a provider charges for. */
function count (
  { operation, status, error, sent, received, milliseconds }: S3RequestEvent,
  traffic: StoreTraffic
): void {
  const kind = KINDS[operation]
  const outcome = status == null ? outcomeWithoutAnswer(error) : outcomeOfStatus(status)

  traffic.add(kind, outcome, { bytes: sent + received, seconds: milliseconds / 1000 })
}

function outcomeWithoutAnswer (error: S3RequestEvent['error']): StoreOutcome {
  return error === 'AbortError' ? 'aborted' : 'failed'
}

function outcomeOfStatus (status: number): StoreOutcome {
  if (status === 404) {
    return 'missing'
  }

  return status < 400 ? 'ok' : 'failed'
}
