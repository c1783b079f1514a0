import type { Output } from './output.ts'
import type { CatEvents } from '@ipfsz/core'

/** Say, once each, that nothing vouches for a link, and that a damaged original is read from its compressed file. */
export function noteLinks (output: Output): (event: CatEvents) => void {
  const said = new Set<string>()

  const sayOnce = (type: string, message: string): void => {
    if (!said.has(type)) {
      said.add(type)
      output.note(message)
    }
  }

  return event => {
    if (event.type === 'ipfsz:link:unchecked') {
      const { original, compressed } = event.detail
      sayOnce(event.type, `the link from ${original} to ${compressed} is unchecked: what it leads to may not be what ${original} names`)
    } else if (event.type === 'ipfsz:link:instead') {
      const { original, compressed } = event.detail
      sayOnce(event.type, `a block of ${original} is missing or damaged: its bytes are read from ${compressed} instead. To get the block back, run ipfsz repair ${original}`)
    }
  }
}
