import { isDamage } from '../dag/damage.ts'
import { checkBlock } from '../dag/hashes.ts'
import { BlockNotFoundWhileOfflineError, CorruptBlockError } from '../errors.ts'
import { concat } from '../util/bytes.ts'
import { isRefusal } from './source.ts'
import type { FetchOptions } from './block-fetcher.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { FetchedBlocks } from './fetched-blocks.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Store = Pick<Blockstore, 'get' | 'put' | 'has'> & {
  readonly checksBlocks?: boolean | undefined
  readonly freshBlocks?: boolean | undefined
}

/** A blockstore that fetches, and how far to read ahead in it. */
interface FetchingBlockstore extends Store {
  /** The most bytes that a reader may hold of blocks it requested ahead. */
  readonly readAheadBytes: number
  /** Whether any block so far was not stored locally. */
  fetches (): boolean
  readonly checksBlocks: true
  isUnshared (bytes: Uint8Array): boolean
}

export interface FetchingBlockstoreInit {
  blockstore: Store
  fetched: Pick<FetchedBlocks, 'get'>
  scope: FetchScope
  readAheadBytes: number
  /** Whether there are sources besides the blockstore. Otherwise it may fetch itself, like Helia's. */
  hasSources: boolean
}

/**
 * The blockstore of one call. Returns local blocks directly, and fetches those that are missing or damaged. All of them
 * match their CIDs.
 */
export function fetchingBlockstore (
  { blockstore, fetched, scope, readAheadBytes, hasSources }: FetchingBlockstoreInit
): FetchingBlockstore {
  let fetches = false
  /** Resolves once all blocks so far have been looked for locally. */
  let lookedUp = Promise.resolve()
  /** The memory of local blocks that nothing else refers to. A block that was fetched may still be written. */
  const unshared = new WeakSet<ArrayBufferLike>()

  const getLocal = async (cid: CID, options: object, onFound: () => void): Promise<Uint8Array> => {
    const parts: Uint8Array[] = []

    try {
      for await (const part of blockstore.get(cid, { ...options, offline: true } as Parameters<Store['get']>[1])) {
        parts.push(part)
      }
    } finally {
      onFound()
    }

    const bytes = concat(parts)

    if (blockstore.checksBlocks !== true) {
      await checkBlock(cid, bytes)
    }

    if (parts.length > 1 || blockstore.freshBlocks === true) {
      unshared.add(bytes.buffer)
    }

    return bytes
  }

  return {
    async * get (cid, options: FetchOptions & { offline?: boolean | undefined } = {}) {
      const earlier = lookedUp
      const found = Promise.withResolvers<void>()
      // not with Promise.all: the result of each would hold those of all before it
      lookedUp = earlier.then(async () => found.promise)

      const local = await getLocal(cid, options, found.resolve).catch((err: unknown) => ({ err }))

      if (local instanceof Uint8Array) {
        yield local
        return
      }

      const { err } = local
      const damaged = isDamage(err)

      if (!damaged && !isMissing(err)) {
        throw err
      }

      if (!hasSources && !isOffline(err)) {
        throw err
      }

      if (options.offline === true) {
        throw isOffline(err) ? err : new BlockNotFoundWhileOfflineError(cid, 'the blockstore', { cause: err })
      }

      // blocks are fetched in the order in which they are asked for, however long each takes to be missed: that is
      // the order of a file, in which gateways send them
      await earlier
      fetches = true

      try {
        yield await fetched.get(cid, scope, { ...options, damaged })
      } catch (err) {
        throw damaged && isRefusal(err) ? new CorruptBlockError(cid, { cause: err }) : err
      }
    },
    put: (...args) => blockstore.put(...args),
    has: (...args) => blockstore.has(...args),
    readAheadBytes,
    fetches: () => fetches,
    checksBlocks: true,
    isUnshared: ({ buffer }) => unshared.has(buffer)
  }
}

function isMissing (err: unknown): boolean {
  return isOffline(err) || (err instanceof Error && err.name === 'NotFoundError')
}

/** Whether the blockstore says that it can fetch the block. */
function isOffline (err: unknown): boolean {
  return err instanceof Error && err.name === 'BlockNotFoundWhileOfflineError'
}
