import { ipfsz } from '@ipfsz/core'
import all from 'it-all'
import { openToRead } from '../context.ts'
import { MultihashSet } from '../dag/multihash-set.ts'
import { RepoError } from '../errors.ts'
import { LastBlockStore } from '../repo/last-block-store.ts'
import { LATEST } from './add-options.ts'
import { baseChecker } from './base-checker.ts'
import { LatestVersions } from './latest-versions.ts'
import type { NodeContext, Session } from '../context.ts'
import type { AddSourcesOptions } from './add-options.ts'
import type { AddTarget } from './add-target.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/**
 * Where a dry run adds to: nothing is stored, and bytes are counted of the blocks that the repo does not have. There
 * need not be a repo. No worker threads are used, as they would not send blocks that nobody stores.
 */
export async function dryTarget (context: NodeContext, options: AddSourcesOptions): Promise<AddTarget> {
  const session = await openIfThere(context)
  const blockstore = new MissingBlocks(session?.repo.blockstore)
  const { deterministic = false, base } = options
  const files = ipfsz({ blockstore, datastore: session?.links }, { deterministic })
  const latest = base === LATEST && session != null
    ? new LatestVersions({ ...session, files }, options, context)
    : undefined

  return {
    files,
    newBytes: async () => blockstore.takeCount(),
    ...latest == null
      ? {}
      : { latest: { find: async name => latest.find(name), added: () => async () => {} } },
    ...session == null
      ? {}
      : { basesOf: async earlier => baseChecker(earlier, session.pins, context.signal) }
  }
}

/** The repo, or undefined if there is none. */
async function openIfThere (context: NodeContext): Promise<Session | undefined> {
  try {
    return await openToRead(context)
  } catch (err) {
    if (err instanceof RepoError && err.problem === 'missing') {
      return undefined
    }

    throw err
  }
}

/** Drops every block but the last, reads from a repo, and counts the bytes of what the repo does not have. */
class MissingBlocks extends LastBlockStore {
  readonly #stored: Pick<Blockstore, 'get' | 'has'> | undefined
  readonly #counted = new MultihashSet()
  #bytes = 0

  constructor (stored: Pick<Blockstore, 'get' | 'has'> | undefined) {
    super()
    this.#stored = stored
  }

  /** The bytes that were counted since the last call. */
  takeCount (): number {
    const bytes = this.#bytes
    this.#bytes = 0

    return bytes
  }

  override async put (
    cid: CID,
    bytes: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  ): Promise<CID> {
    const block = bytes instanceof Uint8Array ? bytes : Buffer.concat(await all(bytes))
    await super.put(cid, block)

    if (!this.#counted.has(cid)) {
      this.#counted.add(cid)
      const isStored = await this.#stored?.has(cid) === true
      this.#bytes += isStored ? 0 : block.byteLength
    }

    return cid
  }

  override async * get (cid: CID): AsyncGenerator<Uint8Array> {
    yield * super.has(cid) || this.#stored == null ? super.get(cid) : this.#stored.get(cid)
  }
}
