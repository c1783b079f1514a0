import { waitingFor } from '@ipfsz/node/internal/lock-file'
import { unmark } from '@ipfsz/core'
import { Arrivals } from './arrivals.ts'
import { reportFetched } from './report-fetched.ts'
import type { Io } from '../io.ts'
import type { Output } from './output.ts'
import type { NodeEvents } from '@ipfsz/node/internal/events'

/** Makes a listener that shows what a node reports: notes on stderr, and bars on a terminal. */
export function showEvents (output: Output, io: Pick<Io, 'now'>): (event: NodeEvents) => void {
  let arrivals: Arrivals | undefined
  let hideArrivals: (() => void) | undefined
  let endWaiting: (() => void) | undefined

  return event => {
    switch (event.type) {
      case 'ipfsz:repo:waiting':
        output.note(waitingFor(event.detail.repo, event.detail.holder))
        endWaiting ??= output.begin('waiting for another process')
        break
      case 'ipfsz:repo:locked':
        endWaiting?.()
        endWaiting = undefined
        break
      case 'ipfsz:fetch:begin':
        arrivals = new Arrivals(() => io.now())
        hideArrivals = output.showArrivals(arrivals)
        break
      case 'ipfsz:fetch:asked':
        output.waiting(event.detail.root.toString())
        break
      case 'ipfsz:fetch:arrived':
        arrivals?.add(event.detail.sender, event.detail.bytes, event.detail.milliseconds)
        break
      case 'ipfsz:fetch:lacks': {
        const { peer, cid, root } = event.detail

        output.note(`the peer ${peer} does not have ${unmark(cid).equals(unmark(root)) ? '' : 'a block of '}${root}`)
        break
      }
      case 'ipfsz:fetch:end':
        hideArrivals?.()
        reportFetched(event.detail, output)
        break
      case 'ipfsz:warning':
        if (output.verbose || !event.detail.isMinor) {
          output.note(event.detail.message)
        }
    }
  }
}
