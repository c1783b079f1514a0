import { checkBlock, checkHash, unmark } from '@ipfsz/core'
import { collectBytes } from '@ipfsz/utils/bytes'
import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { messageOf } from '@ipfsz/utils/message-of'
import { KEEP_ALIVE } from '@libp2p/interface'
import { keyOf } from '../../dag/dag-walk.ts'
import { NO_ANSWER, NotConnectedError } from '../../errors.ts'
import { bitswapBroker } from '../helia-internals/bitswap-broker.ts'
import { BlockSessions } from '../bitswap/block-sessions.ts'
import { parseMultiaddr } from './parse-multiaddr.ts'
import { findProviders } from '../dht/find-providers.ts'
import { throwIfInterrupted } from '../throw-if-interrupted.ts'
import { NameService } from '../names/name-service.ts'
import { Providing } from '../dht/providing.ts'
import { waitForDht } from '../dht/dhts.ts'
import type {
  ConnectedPeer,
  FetchOptions,
  Network,
  NodeId,
  Provider,
  PublishedName,
  PublishOptions,
  ResolvedName
} from '../network.ts'
import type { Node } from './node.ts'
import type { ProvidingInit } from '../dht/providing.ts'
import type { Repo } from '../../repo/repo.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How long specified peers may take to announce that they serve a DHT, in milliseconds: they do so on connecting. */
const NAMED_DHT_TIMEOUT = 2000
/** The senders of this many blocks are remembered. */
const MAX_STORED = 1024

export interface NodeNetworkInit {
  repo: Repo
  node: Node
  /** What to provide, at the start and at every interval. By default nothing. */
  provides?: Omit<ProvidingInit, 'libp2p'>
  /** Called with the CIDs, marked or plain, that a command has added and wants to be provided. */
  onProvide?: (cids: readonly CID[]) => void
}

/** Reaches other nodes through a node in this process. */
export class NodeNetwork implements Network {
  readonly #repo: Repo
  readonly #node: Node
  /** For the daemon, too, which republishes names. */
  readonly names: NameService
  readonly #providing: Providing | undefined
  readonly #onProvide: NodeNetworkInit['onProvide']
  readonly #sessions: BlockSessions
  /** Blocks that have arrived and are being written, by key. */
  readonly #storing = new Map<string, Promise<SourceBlock>>()
  /** The senders of the last blocks that were written, by key, the oldest first. */
  readonly #stored = new Map<string, string>()

  constructor ({ repo, node, provides, onProvide }: NodeNetworkInit) {
    this.#repo = repo
    this.#node = node
    this.names = new NameService(repo, node.libp2p)
    this.#sessions = new BlockSessions(node)
    this.#onProvide = onProvide

    if (provides != null) {
      this.#providing = new Providing({ libp2p: node.libp2p, ...provides })
      this.#providing.start()
    }
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
    const { libp2p } = this.#node

    return Promise.all(libp2p.getPeers().map(async remotePeer => {
      // several if both sides dialled at the same time, or if one goes through a relay
      const connections = libp2p.getConnections(remotePeer)
      const { remoteAddr, direction } = connections.find(({ limits }) => limits == null) ?? connections[0]
      const known = await libp2p.peerStore.get(remotePeer).catch(() => undefined)
      const agent = known?.metadata.get('AgentVersion')

      return {
        peerId: remotePeer.toString(),
        address: remoteAddr.toString(),
        direction,
        ...agent == null ? {} : { agent: new TextDecoder().decode(agent) }
      }
    }))
  }

  async connect (address: string, signal: AbortSignal): Promise<string> {
    const parsed = parseMultiaddr(address)

    try {
      const { remotePeer } = await this.#node.libp2p.dial(parsed, { signal })
      await this.#node.libp2p.peerStore.merge(remotePeer, { tags: { [`${KEEP_ALIVE}-ipfsz`]: { value: 1 } } })

      return remotePeer.toString()
    } catch (err) {
      throwIfInterrupted(signal)
      throw new NotConnectedError(address, signal.aborted ? NO_ANSWER : messageOf(err), { cause: err })
    }
  }

  async fetch (cid: CID, { root, store = true, ...options }: FetchOptions): Promise<SourceBlock> {
    // a block with an unknown hash function cannot be checked
    checkHash(cid)

    const storing = this.#storing.get(keyOf(cid))

    if (storing != null) {
      return storing
    }

    // another caller may have fetched it since this one found it missing: asking again would send it twice
    const sender = this.#stored.get(keyOf(cid))
    const bytes = sender == null ? undefined : await this.read(cid)

    if (sender != null && bytes != null) {
      return { bytes, sender, verified: true }
    }

    const fetched = await this.#sessions.get(unmark(root)).fetch(unmark(cid), options)

    return store ? this.#store(cid, fetched) : fetched
  }

  async providerCount (root: CID): Promise<number> {
    return this.#sessions.get(unmark(root)).peerCount
  }

  async * findProviders (cid: CID, signal: AbortSignal): AsyncGenerator<Provider> {
    // named peers are connected already
    await waitForDht(this.#node.libp2p, signal, this.#node.onlyNamed ? NAMED_DHT_TIMEOUT : undefined)

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
    return this.names.publish(cid, path, options)
  }

  async resolveName (name: string, signal: AbortSignal): Promise<ResolvedName> {
    return this.names.resolve(name, signal)
  }

  async nameRecord (name: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.names.record(name, signal)
  }

  async close (): Promise<void> {
    this.#sessions.close()
    await this.#providing?.stop()
    await this.#node.stop()
  }

  /** Read a block of the repo. Undefined: it is not there, or damaged. */
  protected async read (cid: CID): Promise<Uint8Array | undefined> {
    if (!await this.#repo.blockstore.has(cid)) {
      return undefined
    }

    try {
      const bytes = await collectBytes(this.#repo.blockstore.get(cid))
      await checkBlock(cid, bytes)

      return bytes
    } catch {
      // damaged, or deleted since
      return undefined
    }
  }

  /** Writes a block once for all callers that wait for it. */
  async #store (cid: CID, fetched: SourceBlock): Promise<SourceBlock> {
    const key = keyOf(cid)
    const storing = this.#storing.get(key) ?? this.#put(cid, fetched).finally(() => { this.#storing.delete(key) })

    this.#storing.set(key, storing)

    return storing
  }

  async #put (cid: CID, fetched: SourceBlock): Promise<SourceBlock> {
    await this.#repo.blockstore.put(cid, fetched.bytes)
    // the command that asked may end now, and the next one look for the block in the repo
    await this.#repo.storage.flush?.()
    forgetOldest(this.#stored.set(keyOf(cid), fetched.sender ?? ''), MAX_STORED)
    // peers may have asked this node for it
    bitswapBroker(this.#node.helia)?.announce?.(cid).catch(() => {})

    return fetched
  }
}
