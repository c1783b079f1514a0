import { circuitRelayServer, circuitRelayTransport } from '@libp2p/circuit-relay-v2'
import { identify } from '@libp2p/identify'
import { memory } from '@libp2p/memory'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { createLibp2p } from 'libp2p'
import { compress } from '../src/index.ts'
import type { CompressInit, CompressionComponents } from '../src/index.ts'
import type { Connection, ConnectionEncrypter, Libp2p, StreamMuxerFactory } from '@libp2p/interface'

export const ECHO = '/ipfsz/test/echo/1.0.0'

type Encrypter = (components: NoiseComponents) => ConnectionEncrypter
type CreateMuxer = (components: CompressionComponents) => StreamMuxerFactory
type NoiseComponents = Parameters<ReturnType<typeof noise>>[0]

export interface NodeInit {
  /** Undefined for no compression. */
  compression?: CompressInit | undefined
  /** Its plain muxer. */
  muxer?: CreateMuxer
  listen?: string
  encrypter?: Encrypter
  relay?: boolean
  services?: Record<string, (components: never) => unknown>
}

/** Noise that does not announce muxers, so multistream-select negotiates them. */
export const lateNoise: Encrypter = components => {
  const inner = noise()(components)

  return {
    protocol: inner.protocol,
    secureInbound: async (connection, options) =>
      inner.secureInbound(connection, { ...options, skipStreamMuxerNegotiation: true }),
    secureOutbound: async (connection, options) =>
      inner.secureOutbound(connection, { ...options, skipStreamMuxerNegotiation: true })
  }
}

/** A node on loopback that echoes what it receives. */
export async function startNode (
  { compression, muxer = yamux(), listen, encrypter = noise(), relay = false, services = {} }: NodeInit
): Promise<Libp2p> {
  const node = await createLibp2p({
    addresses: { listen: listen == null ? [] : [listen] },
    transports: [tcp(), webSockets(), memory(), circuitRelayTransport()],
    connectionEncrypters: [encrypter],
    streamMuxers: [...(compression == null ? [] : compress(yamux(), compression)), muxer],
    // otherwise dialling a loopback address over websockets is refused
    connectionGater: { denyDialMultiaddr: () => false },
    services: { identify: identify(), ...(relay ? { relay: circuitRelayServer() } : {}), ...services }
  })

  await node.handle(ECHO, async stream => {
    try {
      for await (const bytes of stream) {
        if (!stream.send(bytes)) {
          await new Promise<void>(resolve => { stream.addEventListener('drain', () => { resolve() }, { once: true }) })
        }
      }

      await stream.close()
    } catch (err) {
      stream.abort(err as Error)
    }
  }, { runOnLimitedConnection: true })

  return node
}

/** The bytes that an echoing node sends back. */
export async function echo (connection: Connection, bytes: Uint8Array): Promise<Uint8Array> {
  const stream = await connection.newStream(ECHO, { runOnLimitedConnection: true })
  const pieces: Uint8Array[] = []
  let length = 0

  const back = new Promise<void>((resolve, reject) => {
    stream.addEventListener('message', ({ data }) => {
      pieces.push(data.subarray())
      length += data.byteLength

      if (length >= bytes.byteLength) {
        resolve()
      }
    })
    stream.addEventListener('close', ({ error }) => { reject(error ?? new Error(`It ended after ${length} bytes`)) })
  })

  stream.send(bytes)
  await back
  await stream.close()

  return new Uint8Array(Buffer.concat(pieces))
}
