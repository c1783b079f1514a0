import { byId, formatBytes } from './dom.ts'

/** What build.ts writes: bytes as they are sent, compressed with gzip. */
interface Cost {
  start: number
  codecs: Record<string, number>
  network: number
  /** All of it, which is kept for use without a network. */
  all: number
}

/** Say what the page costs to load. */
export async function showCost (): Promise<void> {
  const response = await fetch('cost.json')

  if (response.ok) {
    const { start, codecs, network, all } = await response.json() as Cost

    byId('cost').textContent = `This page is ${formatBytes(start)}. When it is used, zstd brings ${formatBytes(codecs.zstd ?? 0)} more, and connecting to a peer ${formatBytes(network)}. For use without a network all of it is kept, with every codec: ${formatBytes(all)}, loaded behind the rest.`
  }
}
