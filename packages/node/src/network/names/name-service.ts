import { NameError } from '../../errors.ts'
import { usableDhts, waitForDht } from '../dht/dhts.ts'
import { followNames, newestRecord, noRecord } from './follow-names.ts'
import { loadKey, loadOrCreateKey } from './keys.ts'
import { DEFAULT_LIFETIME, formatName, parseName, recordKey } from './name-records.ts'
import { listPublished, readPublished, signPublished, writePublished } from './own-names.ts'
import type { Services } from '../dht/dhts.ts'
import type { FoundRecord } from './follow-names.ts'
import type { Published } from './own-names.ts'
import type { PublishedName, PublishOptions, ResolvedName } from '../network.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Libp2p, PrivateKey } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'
import type { MultihashDigest } from 'multiformats/hashes/interface'

/** How long putting or getting a record may take, in milliseconds. */
const TIMEOUT = 60_000
/** How long to wait for newer records after the first has arrived, in milliseconds. */
const NEWER_WITHIN = 3_000

/** Publishes and resolves IPNS names on the DHTs of a node, with the keys of a repo. */
export class NameService {
  readonly #repo: Pick<Repo, 'path' | 'datastore'>
  readonly #libp2p: Libp2p<Services>

  constructor (repo: Pick<Repo, 'path' | 'datastore'>, libp2p: Libp2p<Services>) {
    this.#repo = repo
    this.#libp2p = libp2p
  }

  async publish (cid: CID, path: string, options: PublishOptions): Promise<PublishedName> {
    const { key: name, lifetime = DEFAULT_LIFETIME, signal } = options
    const key = await loadOrCreateKey(this.#repo.path, name)
    const digest = key.publicKey.toMultihash()
    const before = await readPublished(this.#repo.datastore, name)
    await waitForDht(this.#libp2p, signal)
    const others = await this.#find(digest, signal).catch(() => undefined)
    const newest = [BigInt(before?.sequence ?? 0n), others?.sequence ?? 0n].reduce((a, b) => a > b ? a : b)
    const sequence = newest + 1n
    const published = { cid: cid.toString(), path, sequence, lifetime }

    await this.#put(key, published, signal)
    // only now: `publishAgain` would otherwise renew a record that no peer has stored
    await writePublished(this.#repo.datastore, name, published)

    return { name: formatName(digest), cid, sequence }
  }

  /** Signs and publishes all names again. Peers drop records after a while. */
  async publishAgain (signal: AbortSignal): Promise<void> {
    for await (const { name, published } of listPublished(this.#repo.datastore)) {
      const key = await loadKey(this.#repo.path, name)

      if (key != null) {
        await this.#put(key, published, signal)
      }
    }
  }

  async resolve (text: string, signal: AbortSignal): Promise<ResolvedName> {
    parseName(text)
    await waitForDht(this.#libp2p, signal)

    return followNames(text, async digest => this.#find(digest, signal))
  }

  async record (text: string, signal: AbortSignal): Promise<Uint8Array> {
    const digest = parseName(text)
    await waitForDht(this.#libp2p, signal)
    const record = await this.#find(digest, signal)

    if (record == null) {
      throw noRecord(text)
    }

    return record.bytes
  }

  async #put (key: PrivateKey, published: Published, signal: AbortSignal): Promise<void> {
    const record = await signPublished(key, published)
    const both = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)])
    let stored = 0

    await Promise.all(usableDhts(this.#libp2p).map(async dht => {
      for await (const event of dht.put(recordKey(key.publicKey.toMultihash()), record, { signal: both })) {
        if (event.name === 'PEER_RESPONSE' && event.messageName === 'PUT_VALUE') {
          stored++
        }
      }
    }).map(async put => put.catch(() => { signal.throwIfAborted() })))

    if (stored === 0) {
      throw new NameError('The name was not published: no peer stored its record', { reason: 'not-stored' })
    }
  }

  /** The newest valid record in the DHTs. */
  async #find (digest: MultihashDigest, signal: AbortSignal): Promise<FoundRecord | undefined> {
    const asked = usableDhts(this.#libp2p).map(dht => async function * (signal: AbortSignal) {
      for await (const event of dht.get(recordKey(digest), { signal })) {
        if (event.name === 'VALUE') {
          yield event.value
        }
      }
    })

    return newestRecord(digest, asked, { signal, timeout: TIMEOUT, newerWithin: NEWER_WITHIN })
  }
}
