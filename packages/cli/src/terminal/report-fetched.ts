import { formatSize } from './units.ts'
import type { Output } from './output.ts'
import type { Fetched } from '@ipfsz/node/events'

/** Say which damaged blocks were replaced, and with `--verbose` from where all blocks came. */
export function reportFetched ({ blocks, bytes, replaced, senders }: Fetched, output: Output): void {
  if (replaced > 0) {
    output.note(`${replaced} damaged ${replaced === 1 ? 'block was' : 'blocks were'} fetched again and replaced`)
  }

  if (output.verbose && blocks > 0) {
    const parts = [...senders].map(([id, { blocks, bytes }]) => `${blocks} (${formatSize(bytes)}) from ${id}`)
    output.note(`fetched ${blocks} blocks (${formatSize(bytes)}): ${parts.join(', ')}`)
  }
}
