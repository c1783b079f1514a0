import { setMaxListeners } from 'node:events'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify, identifyPush } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { ping } from '@libp2p/ping'
import { yamux } from '@libp2p/yamux'
import { createHeliaLight } from 'helia'
import { sha512 } from 'multiformats/hashes/sha2'
import { NodeError } from '../../errors.ts'
import { keepConnected } from './keep-connected.ts'
import { dhtServices } from '../dht/dhts.ts'
import { listenAtOnce } from '../helia-internals/listen-at-once.ts'
import { shortenStreams } from '../helia-internals/short-streams.ts'
import { loadTransports } from './transports.ts'
import { Wants } from '../bitswap/wants.ts'
import type { Services } from '../dht/dhts.ts'
import type { Libp2p, PrivateKey } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Helia, HeliaInit } from 'helia'

/** How many others may be connected, and may be about to be. */
const MAX_CONNECTIONS = 500
const MAX_PENDING_CONNECTIONS = 200
/** How many connections one address may open in a second: behind it may be a whole office. */
const MAX_CONNECTIONS_PER_SECOND = 100

/**
 * How long a message may take to come and go, in milliseconds. Helia's 10 seconds are
 * too short for 4 MiB, the most that it puts into one, on slow links.
 */
const MESSAGE_TIMEOUT = 60_000
/**
 * How many messages are sent at one time, to all peers: three to each. Helia's 50 leave
 * everybody waiting while a few who are slow are sent blocks.
 */
const MESSAGES_AT_ONCE = 3 * MAX_CONNECTIONS
/** How many answers to one peer are made at one time, so that the next is ready when one has been sent. */
const ANSWERS_AT_ONCE = 2

/**
 * How often it is looked whether a peer is still there, and how long it may take to
 * answer, in milliseconds. What is asked of it is ahead of the answer on its link.
 */
const PING_INTERVAL = 30_000
const PING_TIMEOUT = 20_000
/** How many of these questions may be open, which those of the DHT are as well. With one, libp2p cuts busy connections. */
const MAX_PINGS = 16

/**
 * The most bytes of a stream that are kept until somebody reads it, 32 MiB. A Helia
 * sends all blocks that it is asked for on one stream, and libp2p aborts a stream of
 * which more has come before it has said what it is for, by itself from 4 MiB on.
 */
const MAX_READ_BUFFER = 32 * 1024 * 1024

export interface NodeInit extends Pick<HeliaInit, 'blockstore' | 'datastore'> {
  /** Multiaddrs. None where it is only to fetch. */
  listen: readonly string[]
  /** Multiaddrs that others are told instead of those that are listened on. */
  announce?: readonly string[]
  bootstrap: readonly Multiaddr[]
  /** Others that are connected at once, and stay so. */
  peers: readonly Multiaddr[]
  /** A new one where none is given. */
  privateKey?: PrivateKey
  /** Whether it is there for others: answers in the DHT. */
  server: boolean
  agent: string
  /** What is good to know. */
  onNote: (message: string) => void
}

export interface Node {
  helia: Helia
  libp2p: Libp2p<Services>
  wants: Wants
  /** What it says to be. */
  agent: string
  /** Tell those who wait for a block that it is here. */
  announce: (...args: Parameters<NonNullable<BlockBroker['announce']>>) => Promise<void>
  stop: () => Promise<void>
}

type BlockBroker = Parameters<Helia['addBlockBroker']>[0] extends infer Broker ? Exclude<Broker, (...args: never[]) => unknown> : never

/**
 * Start a node that exchanges the blocks of a blockstore.
 *
 * @throws {NodeError} it cannot listen
 */
export async function startNode ({ listen, announce = [], bootstrap, peers, privateKey, server, agent, onNote, ...stores }: NodeInit): Promise<Node> {
  const loaded = await loadTransports(listen, [...bootstrap, ...peers].map(String))

  if (loaded.missing != null) {
    onNote(loaded.missing)
  }

  const helia = withBitswap(withLibp2pLight<Helia, Services>(createHeliaLight({ ...stores, hashers: [sha512] }), {
    addresses: { listen: loaded.listen, announce: [...announce] },
    transports: loaded.transports,
    connectionEncrypters: [noise()],
    streamMuxers: [yamux({ streamOptions: { maxReadBufferLength: MAX_READ_BUFFER } })],
    connectionManager: {
      maxConnections: MAX_CONNECTIONS,
      maxIncomingPendingConnections: MAX_PENDING_CONNECTIONS,
      inboundConnectionThreshold: MAX_CONNECTIONS_PER_SECOND
    },
    connectionMonitor: { pingInterval: PING_INTERVAL, pingTimeout: { minTimeout: PING_TIMEOUT } },
    ...privateKey == null ? {} : { privateKey },
    nodeInfo: { userAgent: agent },
    services: { identify: identify(), identifyPush: identifyPush(), ping: ping({ maxInboundStreams: MAX_PINGS, maxOutboundStreams: MAX_PINGS }), ...dhtServices(server) }
  }), { messageSendTimeout: MESSAGE_TIMEOUT, messageReceiveTimeout: MESSAGE_TIMEOUT, messageSendConcurrency: MESSAGES_AT_ONCE, sendBlocksConcurrency: ANSWERS_AT_ONCE })

  // Helia keeps them to itself
  let bitswap: BlockBroker | undefined
  const addBlockBroker = helia.addBlockBroker.bind(helia)
  helia.addBlockBroker = broker => {
    if (typeof broker !== 'function') {
      bitswap = broker
    }

    addBlockBroker(broker)
  }

  try {
    await helia.start()
    await listenAtOnce(helia.libp2p, bitswap)
    shortenStreams(bitswap)
  } catch (err) {
    await helia.stop().catch(() => {})
    throw new NodeError(`The node cannot be started, listen somewhere else with --listen where an address is in use: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }

  const { libp2p } = helia
  const stopped = new AbortController()
  setMaxListeners(0, stopped.signal)
  keepConnected(libp2p, bootstrap, peers, stopped.signal)

  return {
    helia,
    libp2p,
    wants: new Wants(bitswap),
    agent,
    announce: async (...args) => { await bitswap?.announce?.(...args) },
    async stop () {
      stopped.abort()
      await helia.stop()
    }
  }
}
