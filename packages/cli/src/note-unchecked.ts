import type { Output } from './output.ts'
import type { CatEvents } from '@ipfsz/core'

/** Say once of what is read by an original that nothing shows that it is that. */
export function noteUnchecked (output: Output): (event: CatEvents) => void {
  let said = false

  return event => {
    if (event.type === 'ipfsz:link:unchecked' && !said) {
      said = true
      output.note(`${event.detail.original} was linked unchecked to ${event.detail.compressed}: nothing shows that what was read is what it names`)
    }
  }
}
