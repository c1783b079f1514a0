import { setMaxListeners } from 'node:events'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { withIpfsz } from '@ipfsz/core'
import { earlyBudget } from '@ipfsz/core/libp2p'
import { messageOf } from '@ipfsz/utils/message-of'
import { identify, identifyPush } from '@libp2p/identify'
import { ping } from '@libp2p/ping'
import { createHeliaLight } from 'helia'
import { sha512 } from 'multiformats/hashes/sha2'
import { NodeError } from '../../errors.ts'
import { checkPorts } from './check-ports.ts'
import { keepConnected } from './keep-connected.ts'
import { dhtServices } from './dht-services.ts'
import { encrypter } from './encrypter.ts'
import { bitswapBroker } from '../helia-internals/bitswap-broker.ts'
import { bitswapMessages } from '../helia-internals/bitswap-messages.ts'
import { sendTogether } from '../helia-internals/send-together.ts'
import { keepStreams, shortenStreams } from '../helia-internals/short-streams.ts'
import { streamMuxers } from './stream-muxers.ts'
import { loadTransports } from './transports.ts'
import { Wants } from '../bitswap/wants.ts'
import type { Services } from '../dht/dhts.ts'
import type { EarlyBudget } from '@ipfsz/core/libp2p'
import type { BitswapMessages } from '../helia-internals/bitswap-messages.ts'
import type { Libp2p, PrivateKey } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Helia, HeliaInit } from 'helia'

/** How many peers may be connected, and how many inbound connections may be negotiating. */
const MAX_CONNECTIONS = 500
const MAX_PENDING_CONNECTIONS = 200
/** How many connections one address may open in a second: a whole office may share it. */
const MAX_CONNECTIONS_PER_SECOND = 100

/**
 * How long sending or receiving one message may take, in milliseconds. Helia's default of 10 seconds
 * is too short on slow links for 4 MiB, the largest message it makes.
 */
const MESSAGE_TIMEOUT = 60_000
/**
 * How many messages are sent at a time to all peers, three to each. With Helia's default of 50 a few
 * slow peers keep all others waiting.
 */
const MESSAGES_AT_ONCE = 3 * MAX_CONNECTIONS
/** How many answers to one peer are prepared at a time: the next is ready when one has been sent. */
const ANSWERS_AT_ONCE = 2

/**
 * How often a peer is pinged, and how long it may take to answer, in milliseconds. On its link the
 * blocks that we asked for come before the answer.
 */
const PING_INTERVAL = 30_000
const PING_TIMEOUT = 20_000
/** How many pings may be open; the DHT sends some too. With only one, libp2p cuts busy connections. */
const MAX_PINGS = 16

export interface NodeInit extends Pick<HeliaInit, 'blockstore' | 'datastore'> {
  /** Multiaddrs to listen on. Empty for a node that only fetches. */
  listen: readonly string[]
  /** Multiaddrs to announce instead of those it listens on. */
  announce?: readonly string[]
  bootstrap: readonly Multiaddr[]
  /** Peers to connect to at once, and to stay connected to. */
  peers: readonly Multiaddr[]
  /** @default a new key */
  privateKey?: PrivateKey
  /** Whether it answers DHT queries of others. */
  server: boolean
  /** Whether connections to nodes that have this too are compressed. */
  compressConnections?: boolean | undefined
  agent: string
  /** Called with a message for the user. */
  onNote: (message: string) => void
}

export interface Node {
  helia: Helia
  libp2p: Libp2p<Services>
  wants: Wants
  /** What is held of blocks that peers sent over HTTP before they were asked for, in bytes. */
  early: EarlyBudget
  /** Whether it connects only to specified peers: it does not listen, and has no bootstrap peers. */
  onlyNamed: boolean
  hasBootstrap: boolean
  /** The agent version that it sends to peers. */
  agent: string
  stop: () => Promise<void>
}

/**
 * Starts a node that exchanges the blocks of a blockstore with others.
 *
 * @throws {ListenError} it cannot listen on an address
 * @throws {NodeError} it cannot start for another reason
 */
export async function startNode (init: NodeInit): Promise<Node> {
  const { listen, announce = [], bootstrap, peers, privateKey, server, compressConnections, agent, onNote, ...stores } =
    init
  const loaded = await loadTransports(listen, [...bootstrap, ...peers].map(String))

  if (loaded.missing != null) {
    onNote(loaded.missing)
  }

  await checkPorts(loaded.listen)

  // for its streams, which wait for fewer round trips
  const light = withIpfsz(createHeliaLight({ ...stores, hashers: [sha512] }))
  const helia = withBitswap(withLibp2pLight<Helia, Services>(light, {
    addresses: { listen: loaded.listen, announce: [...announce] },
    transports: loaded.transports,
    // every connection is given to it before anything is sent
    connectionProtector: () => ({
      async protect (connection) {
        sendTogether(connection)

        return connection
      }
    }),
    connectionEncrypters: [encrypter()],
    streamMuxers: await streamMuxers(compressConnections === true),
    connectionManager: {
      maxConnections: MAX_CONNECTIONS,
      maxIncomingPendingConnections: MAX_PENDING_CONNECTIONS,
      inboundConnectionThreshold: MAX_CONNECTIONS_PER_SECOND
    },
    connectionMonitor: { pingInterval: PING_INTERVAL, pingTimeout: { minTimeout: PING_TIMEOUT } },
    ...privateKey == null ? {} : { privateKey },
    nodeInfo: { userAgent: agent },
    services: {
      identify: identify(),
      identifyPush: identifyPush(),
      ping: ping({ maxInboundStreams: MAX_PINGS, maxOutboundStreams: MAX_PINGS }),
      ...dhtServices(server)
    }
  }), {
    messageSendTimeout: MESSAGE_TIMEOUT,
    messageReceiveTimeout: MESSAGE_TIMEOUT,
    messageSendConcurrency: MESSAGES_AT_ONCE,
    sendBlocksConcurrency: ANSWERS_AT_ONCE
  })
  let messages: BitswapMessages

  try {
    await helia.start()
    messages = bitswapMessages(bitswapBroker(helia))
    shortenStreams(messages.network)
    keepStreams(helia.libp2p)
  } catch (err) {
    await helia.stop().catch(() => {})
    throw new NodeError(`The node cannot start: ${messageOf(err)}`, { cause: err })
  }

  const { libp2p } = helia
  const stopped = new AbortController()
  setMaxListeners(0, stopped.signal)
  keepConnected(libp2p, bootstrap, peers, stopped.signal)

  return {
    helia,
    libp2p,
    wants: new Wants(messages),
    early: earlyBudget(),
    onlyNamed: listen.length === 0 && bootstrap.length === 0,
    hasBootstrap: bootstrap.length > 0,
    agent,
    async stop () {
      stopped.abort()
      await helia.stop()
    }
  }
}
