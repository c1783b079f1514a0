import { messageOf } from '@ipfsz/codecs/internal'
import { checkBlock, checkHash, unmark } from '@ipfsz/core'
import { KEEP_ALIVE } from '@libp2p/interface'
import { keyOf } from '../../dag/dag-walk.ts'
import { readBlock } from '../../dag/read-block.ts'
import { NO_ANSWER, NotConnectedError } from '../../errors.ts'
import { BlockSessions } from '../bitswap/block-sessions.ts'
import { connectedPeers } from './connected-peers.ts'
import { parseMultiaddr } from './parse-multiaddr.ts'
import { findProviders } from '../dht/find-providers.ts'
import { throwIfInterrupted } from '../throw-if-interrupted.ts'
import { NameService } from '../names/name-service.ts'
import { Providing } from '../dht/providing.ts'
import { waitForDht } from '../dht/wait-for-dht.ts'
import type {
  ConnectedPeer,
  FetchedBlock,
  FetchOptions,
  NameOptions,
  Network,
  NodeId,
  Provider,
  PublishedName,
  PublishOptions,
  ResolvedName
} from '../network.ts'
import type { BlockSession } from '../bitswap/block-session.ts'
import type { Siblings } from '../siblings/siblings.ts'
import type { Node } from './node.ts'
import type { ProvidingInit } from '../dht/providing.ts'
import type { Repo } from '../../repo/repo.ts'
import type { CID } from 'multiformats/cid'

export interface NodeNetworkInit {
  repo: Repo
  node: Node
  /** What to provide, at the start and at every interval. By default nothing. */
  provides?: Omit<ProvidingInit, 'libp2p'>
  /** Called with the CIDs, marked or plain, that a command has added and wants to be provided. */
  onProvide?: (cids: readonly CID[]) => void
  /** The other nodes of a shared store. */
  siblings?: Pick<Siblings, 'fetch' | 'has'> | undefined
}

/** Keeps blocks outside of the repo, by the root that they were read below: a `BlockCache`. */
export interface KeptBlocks {
  /** Undefined: it is not kept. A block that is was compared with its CID. */
  get (root: CID, cid: CID, options: { signal: AbortSignal }): Promise<Uint8Array | undefined>
  put (root: CID, cid: CID, bytes: Uint8Array): Promise<void>
}

/** Reaches other nodes through a node in this process. */
export class NodeNetwork implements Network {
  readonly #repo: Repo
  readonly #node: Node
  readonly #names: NameService
  readonly #providing: Providing | undefined
  readonly #onProvide: NodeNetworkInit['onProvide']
  readonly #siblings: NodeNetworkInit['siblings']
  #kept: KeptBlocks | undefined
  readonly #sessions: BlockSessions
  /** Blocks that have arrived and are being written, by key. */
  readonly #storing = new Map<string, Promise<FetchedBlock>>()

  constructor ({ repo, node, provides, onProvide, siblings }: NodeNetworkInit) {
    this.#repo = repo
    this.#node = node
    this.#names = new NameService(repo, node.libp2p)
    this.#sessions = new BlockSessions(node)
    this.#onProvide = onProvide
    this.#siblings = siblings

    if (provides != null) {
      this.#providing = new Providing({ libp2p: node.libp2p, ...provides })
      this.#providing.start()
    }
  }

  /** For the daemon, which republishes names. */
  get names (): Pick<NameService, 'publishAgain'> {
    return this.#names
  }

  async id (): Promise<NodeId> {
    const { libp2p } = this.#node

    return {
      peerId: libp2p.peerId.toString(),
      addresses: libp2p.getMultiaddrs().map(String),
      agent: this.#node.agent
    }
  }

  async peers (): Promise<ConnectedPeer[]> {
    return connectedPeers(this.#node.libp2p, peerId => this.#siblings?.has(peerId) === true)
  }

  async connect (address: string, signal: AbortSignal): Promise<string> {
    const parsed = parseMultiaddr(address)

    try {
      const { remotePeer } = await this.#node.libp2p.dial(parsed, { signal })
      await this.#node.libp2p.peerStore.merge(remotePeer, { tags: { [`${KEEP_ALIVE}-ipfsz`]: { value: 1 } } })

      return remotePeer.toString()
    } catch (err) {
      throwIfInterrupted(signal)
      const reason = messageOf(err)

      throw new NotConnectedError(address, signal.aborted ? NO_ANSWER : reason, { cause: err })
    }
  }

  async fetch (cid: CID, options: FetchOptions): Promise<FetchedBlock> {
    // a block with an unknown hash function cannot be checked
    checkHash(cid)

    return this.#siblings == null
      ? this.#fetchHere(cid, options)
      : this.#siblings.fetch(cid, options, async (...args) => this.#fetchHere(...args))
  }

  /**
   * Where to keep what is fetched for another node of the store that does not want it stored: a third node may ask for
   * it next. Undefined: nowhere.
   */
  keepForSiblings (kept: KeptBlocks | undefined): void {
    this.#kept = kept
  }

  /** Fetch a block for another node of the store, without asking a third one. It may have been stored meanwhile. */
  async fetchForSibling (cid: CID, options: FetchOptions): Promise<FetchedBlock> {
    checkHash(cid)

    const root = unmark(options.root)
    const bytes = await this.#read(cid) ?? await this.#kept?.get(root, cid, options)

    if (bytes != null) {
      return { bytes, peerId: this.#node.libp2p.peerId.toString(), verified: true }
    }

    const fetched = await this.#fetchHere(cid, options)

    if (options.store === false) {
      await this.#kept?.put(root, cid, fetched.bytes)
    }

    return fetched
  }

  async providerCount (root: CID): Promise<number> {
    return this.#sessions.get(unmark(root)).peerCount
  }

  async * findProviders (cid: CID, signal: AbortSignal): AsyncGenerator<Provider> {
    await waitForDht(this.#node.libp2p, signal)

    for await (const { id, multiaddrs } of findProviders(this.#node.libp2p, cid, signal)) {
      yield { peerId: id.toString(), addresses: multiaddrs.map(String) }
    }
  }

  async provide (cids: readonly CID[]): Promise<void> {
    this.#providing?.add(cids.map(unmark))
    this.#onProvide?.(cids)
  }

  /** Advertise again some of what is advertised at every interval. */
  provideAgain (isChosen: (root: CID) => boolean): void {
    this.#providing?.repeatSome(isChosen)
  }

  async publishName (cid: CID, path: string, options: PublishOptions): Promise<PublishedName> {
    return this.#names.publish(cid, path, options)
  }

  async resolveName (name: string, { signal }: NameOptions): Promise<ResolvedName> {
    return this.#names.resolve(name, signal)
  }

  async nameRecord (name: string, { signal }: NameOptions): Promise<Uint8Array> {
    return this.#names.record(name, signal)
  }

  async close (): Promise<void> {
    this.#sessions.close()
    await this.#providing?.stop()
    await this.#node.stop()
  }

  async #fetchHere (cid: CID, { root, store = true, ...options }: FetchOptions): Promise<FetchedBlock> {
    const session = this.#sessions.get(unmark(root))
    const stored = this.#storing.get(keyOf(cid)) ?? await this.#stored(cid, session)

    if (stored != null) {
      return stored
    }

    const fetched = await session.fetch(unmark(cid), options)

    return store ? this.#store(cid, fetched) : fetched
  }

  /** A block that another caller has fetched since this one found it missing: asking again would send it twice. */
  async #stored (cid: CID, session: BlockSession): Promise<FetchedBlock | undefined> {
    const peerId = session.senderOf(cid)
    const bytes = peerId == null ? undefined : await this.#read(cid)

    return peerId == null || bytes == null ? undefined : { bytes, peerId, verified: true }
  }

  /** Read a block of the repo. Undefined: it is not there, or damaged. */
  async #read (cid: CID): Promise<Uint8Array | undefined> {
    if (!await this.#repo.blockstore.has(cid)) {
      return undefined
    }

    try {
      const bytes = await readBlock(cid, this.#repo.blockstore)
      await checkBlock(cid, bytes)

      return bytes
    } catch {
      // damaged, or deleted since
      return undefined
    }
  }

  /** Writes a block once for all callers that wait for it. */
  async #store (cid: CID, fetched: FetchedBlock): Promise<FetchedBlock> {
    const key = keyOf(cid)
    const storing = this.#storing.get(key) ?? this.#put(cid, fetched).finally(() => { this.#storing.delete(key) })

    this.#storing.set(key, storing)

    return storing
  }

  async #put (cid: CID, fetched: FetchedBlock): Promise<FetchedBlock> {
    await this.#repo.blockstore.put(cid, fetched.bytes)
    // peers may have asked this node for it
    this.#node.announce(cid).catch(() => {})

    return fetched
  }
}
