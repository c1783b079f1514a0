import { preview } from 'vite'
import { buildPage, DIRECTORY } from './build.ts'
import { formatLink } from './src/ipfs/link.ts'
import { startNodePeer } from './node-peer.ts'
import type { NodePeer } from './node-peer.ts'

export interface Demo {
  /** The URL of the page, with the address of the peer in it. */
  url: string
  peer: NodePeer
  close (): Promise<void>
}

/** Serve the built page and start a peer for it, both on loopback. */
export async function startDemo (outDir: string = DIRECTORY, port = 0): Promise<Demo> {
  const peer = await startNodePeer()
  const server = await preview({
    root: import.meta.dirname,
    configFile: false,
    build: { outDir },
    preview: { host: '127.0.0.1', port, strictPort: false }
  })
  const [origin] = server.resolvedUrls?.local ?? []

  return {
    url: `${origin}${formatLink({ peers: [peer.address] })}`,
    peer,

    async close () {
      await server.close()
      await peer.stop()
    }
  }
}

if (import.meta.main) {
  await buildPage()

  const { url, peer } = await startDemo(DIRECTORY, 4173)
  const cid = await peer.fs.addBytes(new TextEncoder().encode('Hello from Node! '.repeat(10_000)))

  console.info(url)
  const link = formatLink({ address: { cid, path: '' }, peers: [peer.address], filename: 'hello.txt' })
  console.info(`The peer has this file: ${new URL(link, url)}`)
}
