import { TypedEventEmitter } from '@libp2p/interface'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { compress } from '@ipfsz/libp2p-compression'
import { createLibp2p } from 'libp2p'
import type { ComponentLogger, Libp2pEvents, MultiaddrConnection, Upgrader } from '@libp2p/interface'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a node in Node that offers every codec, and echoes every stream. */
    echoAddress: string
    /** The address of a listener that joins each connection with the next one, and forwards bytes between them. */
    joinAddress: string
  }
}

export const ECHO = '/ipfsz/test/echo/1.0.0'

/** Global setup of the browser tests: starts the nodes that they dial. */
export async function setup (project: TestProject): Promise<() => Promise<void>> {
  const node = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0/ws'] },
    transports: [webSockets()],
    connectionEncrypters: [noise()],
    streamMuxers: [...compress(yamux()), yamux()],
    services: { identify: identify() }
  })

  await node.handle(ECHO, stream => {
    stream.addEventListener('message', ({ data }) => {
      if (!stream.send(data)) {
        stream.pause()
        stream.addEventListener('drain', () => { stream.resume() }, { once: true })
      }
    })
    stream.addEventListener('remoteCloseWrite', () => { stream.close().catch(err => { stream.abort(err as Error) }) })
  })

  project.provide('echoAddress', node.getMultiaddrs()[0].toString())
  const joiner = await joinConnections(node.logger)
  project.provide('joinAddress', joiner.address)

  return async () => {
    await joiner.close()
    await node.stop()
  }
}

/** Joins pairs of WebSocket connections, so that both ends of a connection can be in one page. */
async function joinConnections (logger: ComponentLogger): Promise<{ address: string, close: () => Promise<void> }> {
  const events = new TypedEventEmitter<Libp2pEvents>()
  let waiting: MultiaddrConnection | undefined

  const upgradeInbound = async (connection: MultiaddrConnection): Promise<void> => {
    if (waiting == null) {
      waiting = connection
      // never join a new connection to a closed one
      connection.addEventListener('close', () => {
        if (waiting === connection) {
          waiting = undefined
        }
      })
      return
    }

    const other = waiting
    waiting = undefined
    handOn(connection, other)
    handOn(other, connection)
  }

  const listener = webSockets()({ logger, events }).createListener({
    upgrader: { upgradeInbound } as unknown as Upgrader
  })
  await listener.listen(multiaddr('/ip4/127.0.0.1/tcp/0/ws'))

  return { address: listener.getAddrs()[0].toString(), close: async () => listener.close() }
}

function handOn (from: MultiaddrConnection, to: MultiaddrConnection): void {
  from.addEventListener('message', ({ data }) => {
    if (to.status === 'open') {
      to.send(data)
    }
  })
  from.addEventListener('close', ({ error }) => {
    if (error != null) {
      to.abort(error)
    } else {
      to.close().catch(err => { to.abort(err as Error) })
    }
  })
}
