import { explain } from '../errors.ts'
import { noteLinks } from './note-links.ts'
import { waitingFor } from '@ipfsz/node/events'
import { unmark } from '@ipfsz/core'
import { Arrivals } from './arrivals.ts'
import { CollectionProgress } from './collection-progress.ts'
import { reportFetched } from './report-fetched.ts'
import { SilenceNote } from './silence-note.ts'
import type { Io } from '../io.ts'
import type { Output } from './output.ts'
import type { Progress } from './progress.ts'
import type { NodeEvents, Step, Task } from '@ipfsz/node/events'

/** Makes a listener that shows what a node reports: notes on stderr, and bars on a terminal. */
export function showEvents (output: Output, io: Pick<Io, 'now'>): (event: NodeEvents) => void {
  let arrivals: Arrivals | undefined
  let hideArrivals: (() => void) | undefined
  let endWaiting: (() => void) | undefined
  const steps = new Map<Step, Pick<Progress, 'update' | 'end'>>()
  const onLink = noteLinks(output)
  const collection = new CollectionProgress(output)
  const silence = new SilenceNote(output)

  return event => {
    switch (event.type) {
      case 'ipfsz:step:begin':
        steps.set(event.detail, showStep(event.detail, output))
        break
      case 'ipfsz:step:progress':
        steps.get(event.detail.step)?.update(event.detail.done, event.detail.total)
        break
      case 'ipfsz:step:end':
        steps.get(event.detail)?.end()
        steps.delete(event.detail)
        break
      case 'ipfsz:add:failed':
        output.error(explain(event.detail.error), event.detail.error)
        break
      case 'ipfsz:collect:store':
        collection.show(event.detail)
        break
      case 'ipfsz:collect:end':
        collection.end()
        break
      case 'ipfsz:link:unchecked':
      case 'ipfsz:link:instead':
        onLink(event)
        break
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
        silence.begin(event.detail.root.toString())
        break
      case 'ipfsz:fetch:arrived':
        silence.end()
        arrivals?.add(event.detail.sender, event.detail.bytes, event.detail.milliseconds)
        break
      case 'ipfsz:fetch:lacks': {
        const { peer, cid, root } = event.detail

        silence.end()
        output.note(`the peer ${peer} does not have ${unmark(cid).equals(unmark(root)) ? '' : 'a block of '}${root}`)
        break
      }
      case 'ipfsz:fetch:end':
        silence.end()
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

/** What a bar says before the name of a step. */
const LABELS: Readonly<Record<Task, string>> = {
  add: '',
  check: 'checking',
  collect: 'deleting unpinned blocks',
  compare: 'comparing',
  connect: 'connecting to',
  convert: 'converting',
  copy: 'copying',
  count: 'counting blocks',
  export: 'exporting',
  fetch: 'fetching',
  find: 'searching for',
  'find-compressed': 'finding compressed files',
  'find-garbage': 'finding unpinned blocks',
  'find-providers': 'searching for providers of',
  import: 'importing',
  index: '',
  'look-for': 'looking for blocks',
  'make-pages': 'creating pages of',
  measure: 'measuring',
  pin: 'pinning',
  'prune-links': 'deleting links to deleted files',
  publish: 'publishing the name',
  remove: 'deleting the unfinished',
  repack: 'rewriting packs',
  repair: '',
  resolve: 'resolving',
  sync: 'syncing to disk',
  verify: '',
  write: ''
}

/** What is counted, of which there may be one. */
const THINGS = { bytes: undefined, blocks: 'block', entries: 'entry' } as const

function showStep ({ task, name, unit, total }: Step, output: Output): Pick<Progress, 'update' | 'end'> {
  // a wrapping directory has no name
  const label = [LABELS[task], task === 'add' && name === '' ? 'all' : name].filter(Boolean).join(' ')

  return unit == null
    ? { update () {}, end: output.begin(label, { keepsBar: true }) }
    : output.progress(label, total, THINGS[unit])
}
