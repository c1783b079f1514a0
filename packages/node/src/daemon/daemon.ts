import { setTimeout } from 'node:timers/promises'
import { messageOf } from '@ipfsz/utils/message-of'
import { raceSignal } from 'race-signal'
import { loadOrCreateKey, SELF } from '../network/names/keys.ts'
import { waitingFor } from '../lock-file.ts'
import { startNode } from '../network/node/node.ts'
import { parseMultiaddr } from '../network/node/parse-multiaddr.ts'
import { defaultListen } from '../network/node/transports.ts'
import { RepoPins } from '../repo/repo-pins.ts'
import { openRepo } from '../repo/repo.ts'
import { withStoreCache } from '../repo/store-cache.ts'
import { servingSignal } from '@ipfsz/shared-store/places'
import { StoreNetwork } from '../cluster/store-network.ts'
import { undoAll } from './undo-all.ts'
import { userAgent } from '../version.ts'
import { removeDaemonFile, writeDaemonFile } from './daemon-file.ts'
import { lockDaemon } from './daemon-lock.ts'
import { openNetworkData } from './network-data.ts'
import { OriginalService } from './original-service.ts'
import { serveBlocks } from './serve-blocks.ts'
import { serveNetwork } from './server.ts'
import { Cluster } from '../cluster/cluster.ts'
import type { NodeId } from '../network/network.ts'
import type { ProvidingInit } from '../network/dht/providing.ts'
import type { ClusterTimes } from '../cluster/cluster-peers.ts'
import type { Repo } from '../repo/repo.ts'
import type { DerivedBlockstore } from '@ipfsz/core/originals'
import type { CID } from 'multiformats/cid'

/** What the daemon advertises: the roots of all pins, all blocks below them, or nothing. */
export type Provides = 'roots' | 'all' | 'none'

/** How often names are republished, 4 hours as in Kubo, in milliseconds. */
const NAMES_INTERVAL = 4 * 60 * 60 * 1000

export interface DaemonInit {
  /** The directory of the repo. It is created if missing. */
  repo: string
  /**
   * Multiaddrs to listen on.
   *
   * @default ports 4101 (TCP), 4102 (WebSockets) and 4103 (WebRTC) of all addresses of this machine
   */
  listen?: readonly string[] | undefined
  /** Multiaddrs to announce instead of those it listens on. */
  announce?: readonly string[] | undefined
  /** Multiaddrs of the bootstrap peers. */
  bootstrap: readonly string[]
  provide: Provides
  /**
   * The layouts in which the originals of linked files are served, besides those that files are linked to.
   *
   * @default originals are not served
   */
  originals?: readonly string[] | undefined
  /**
   * Whether to serve CARs to peers over HTTP.
   *
   * @default true
   */
  serveHttp?: boolean | undefined
  /**
   * Whether to compress connections to nodes that have this option too; all others, such as Kubo and a stock Helia, get
   * plain connections. For content that is stored uncompressed, such as originals: it takes processor time and about
   * 3 MB of memory per connection, and sends what is compressed already as it is. WebRTC connections stay plain.
   *
   * **Only for public content.** Compression leaks secrets through the number of bytes sent, in spite of encryption, if
   * others can choose some of what goes over the same connection (CRIME, BREACH). That covers everything on the
   * connection: which CIDs are asked for, too. See the README of `@ipfsz/libp2p-compression`.
   *
   * @default false
   */
  compressConnections?: boolean | undefined
  /** How long another node of a shared store may take. */
  clusterTimes?: ClusterTimes | undefined
  signal: AbortSignal
  onNote: (message: string) => void
  /** Whether `onNote` also gets errors of background work. */
  verbose: boolean
}

export interface Daemon {
  id: NodeId
  repo: Repo
  /** How this process reaches other nodes. */
  network: StoreNetwork
  /** The blocks of the repo with those of the originals, if they are served. */
  originals: DerivedBlockstore | undefined
  stop: () => Promise<void>
}

/**
 * Starts the node of a repo, and a server through which commands use it.
 *
 * @throws {DaemonRunningError} another daemon has the repo
 * @throws {ListenError} it cannot listen on an address
 * @throws {UsageError} an address is not a multiaddr
 * @throws {MissingAddonError} LevelDB, which keeps what it knows of peers, cannot be loaded
 */
export async function startDaemon (init: DaemonInit): Promise<Daemon> {
  const { signal, onNote, provide, verbose } = init
  const [bootstrap, listen, announce] = [init.bootstrap, init.listen ?? defaultListen(), init.announce ?? []]
    .map(texts => texts.map(parseMultiaddr))
  const undo: Array<() => Promise<void>> = []

  try {
    const lock = await lockDaemon(init.repo, signal, holder => { onNote(waitingFor(init.repo, holder)) })
    undo.push(lock.release)

    // after the lock: a conversion that has just ended may have changed how blocks are stored.
    // No sync: fetched blocks can be fetched again
    const opened = await raceSignal(openRepo(init.repo, { sync: false, signal: servingSignal(signal) }), signal)
    undo.push(opened.close)
    const { repo, close: closeCache } = await withStoreCache(opened, { onNote })
    undo.push(closeCache)

    const datastore = await openNetworkData(repo.path)
    undo.push(async () => { await datastore.close() })

    const onError = (err: unknown): void => {
      if (verbose) {
        onNote(messageOf(err))
      }
    }
    const originals = init.originals == null
      ? undefined
      : new OriginalService({ repo, layouts: init.originals, onError })
    undo.push(async () => { await originals?.stop() })

    const node = await startNode({
      blockstore: originals?.blockstore ?? repo.blockstore,
      datastore,
      listen: listen.map(String),
      announce: announce.map(String),
      bootstrap,
      peers: [],
      privateKey: await loadOrCreateKey(repo.path, SELF),
      server: true,
      compressConnections: init.compressConnections,
      agent: userAgent(),
      onNote
    })
    const cluster = repo.shared == null
      ? undefined
      : new Cluster({
        libp2p: node.libp2p,
        store: repo.shared,
        times: init.clusterTimes,
        onTakeOver: isNew => { network.provideAgain(isNew) },
        onNote
      })
    const network = new StoreNetwork({
      repo,
      node,
      clusterPeers: cluster?.peers,
      onProvide: cids => { originals?.add(cids) },
      ...provide === 'none' ? {} : { provides: provides({ repo, what: provide, originals, cluster, onError }) }
    })
    undo.push(async () => { await network.close() })

    if (init.serveHttp !== false) {
      undo.push(await serveBlocks(node.libp2p, repo, onError))
    }

    if (cluster != null) {
      undo.push(async () => { await cluster.stop() })
      await raceSignal(cluster.start(async (...args) => network.fetchForPeer(...args)), signal)
    }

    const names = new AbortController()
    const publishing = publishNamesAgain(network, names.signal, onError)
    undo.push(async () => {
      names.abort()
      await publishing
    })

    const server = await serveNetwork(network)
    undo.push(async () => { await server.close() })

    originals?.start(cids => { network.provide(cids).catch(onError) })

    await writeDaemonFile(repo.path, { pid: process.pid, ...server }, lock.name)
    undo.push(async () => { await removeDaemonFile(repo.path) })

    return { id: await network.id(), repo, network, originals: originals?.blockstore, stop: async () => undoAll(undo) }
  } catch (err) {
    await undoAll(undo)
    throw err
  }
}

interface ProvidesInit {
  repo: Repo
  what: 'roots' | 'all'
  originals: OriginalService | undefined
  cluster: Cluster | undefined
  /** Called with each error of background work, such as a damaged record of a pin. */
  onError: (err: unknown) => void
}

/** The CIDs that the daemon advertises. */
function provides ({ repo, what, originals, cluster, onError }: ProvidesInit): Omit<ProvidingInit, 'libp2p'> {
  const pins = new RepoPins(repo)
  const below = async function * (root: CID, signal: AbortSignal): AsyncGenerator<CID> {
    const isOriginal = await originals?.isOriginal(root) === true

    yield * originals != null && isOriginal ? originals.blocks(root, signal) : pins.blocks(root, signal)
  }

  return {
    async * roots (signal): AsyncGenerator<CID> {
      // nodes of one store share its pins out
      await (cluster == null ? undefined : raceSignal(cluster.started, signal))

      const isLeftOut = (plainCid: CID): boolean => cluster?.shares.isOurs(plainCid) === false

      for await (const { plainCid } of pins.ls(signal, onError, isLeftOut)) {
        yield plainCid

        if (originals != null) {
          yield * originals.of(plainCid)
        }
      }
    },
    ...what === 'all' ? { below } : {},
    onError
  }
}

async function publishNamesAgain (
  network: StoreNetwork,
  signal: AbortSignal,
  onError: (err: unknown) => void
): Promise<void> {
  while (!signal.aborted) {
    try {
      await setTimeout(NAMES_INTERVAL, undefined, { signal })
      await network.names.publishAgain(signal)
    } catch (err) {
      if (!signal.aborted) {
        onError(err)
      }
    }
  }
}
