import { createGateway } from '@ipfsz/gateway'
import { ipfsz } from '@ipfsz/core'
import type { Address, Source } from './read.ts'

/**
 * A folder as a tar archive, with the original files, as a Blob: the browser keeps it on disk if it is large, and a few
 * frames are in memory while it is made.
 */
export async function readTar (source: Source, { cid, path }: Address): Promise<Blob> {
  const gateway = createGateway({ fs: ipfsz({ blockstore: source }), blocks: source })
  const names = path.split('/').filter(name => name !== '').map(name => `/${encodeURIComponent(name)}`).join('')
  const response = await gateway(new Request(`http://127.0.0.1/ipfs/${cid}${names}?format=tar`))

  if (!response.ok || response.body == null) {
    throw new Error(await response.text())
  }

  const parts: Blob[] = []

  // by hand: Safari does not iterate over streams
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read()

    if (done) {
      return new Blob(parts, { type: 'application/x-tar' })
    }

    parts.push(new Blob([value]))
  }
}
