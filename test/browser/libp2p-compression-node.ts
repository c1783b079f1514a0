import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { compress } from '@ipfsz/libp2p-compression'
import { createLibp2p } from 'libp2p'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a node in Node that compresses with all it has, and sends back what it is sent. */
    echoAddress: string
  }
}

export const ECHO = '/ipfsz/test/echo/1.0.0'

/** Before the tests in a browser: somebody to dial. */
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

  return async () => node.stop()
}
