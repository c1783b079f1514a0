import type { Output } from './output.ts'
import type { CatEvents } from '@ipfsz/core'

/** Print a note, at most one per kind, about an unchecked link or an original that is read from its compressed file. */
export function noteLinks (output: Output): (event: CatEvents) => void {
  const noted = new Set<string>()

  const noteOnce = (type: string, message: string): void => {
    if (!noted.has(type)) {
      noted.add(type)
      output.note(message)
    }
  }

  return event => {
    if (event.type === 'ipfsz:link:unchecked') {
      const { original, compressed } = event.detail
      noteOnce(
        event.type,
        `the link from ${original} to ${compressed} is unchecked: the bytes may not be those of ${original}`
      )
    } else if (event.type === 'ipfsz:link:instead') {
      const { original, compressed } = event.detail
      noteOnce(
        event.type,
        `a block of ${original} is missing or damaged: reading ${compressed} instead. ` +
          `To restore the block, run ipfsz repair ${original}`
      )
    }
  }
}
