import { byId, formatBytes } from './dom.ts'

/** What build.ts writes: bytes on the wire, with gzip. */
interface Cost {
  start: number
  codecs: Record<string, number>
  network: number
  /** Everything, which is cached for offline use. */
  all: number
}

/** Show what the page costs to load. */
export async function showCost (): Promise<void> {
  const response = await fetch('cost.json')

  if (response.ok) {
    const { start, codecs, network, all } = await response.json() as Cost

    byId('cost').textContent = [
      `This page is ${formatBytes(start)}.`,
      `zstd adds ${formatBytes(codecs.zstd ?? 0)} on first use, connecting to a peer ${formatBytes(network)}.`,
      `For offline use, everything with every codec loads in the background: ${formatBytes(all)}.`
    ].join(' ')
  }
}
