import { count } from './units.ts'
import type { CollectionEvent } from '@ipfsz/shared-store/collect'
import type { Output } from './output.ts'

/** Shows what a collection of a store does, and for what it waits: for dead processes half a minute or a whole one. */
export class CollectionProgress {
  readonly #output: Pick<Output, 'begin' | 'note' | 'progress' | 'verbose'>
  #label: string | undefined
  #add: (done: number) => void = () => {}
  #end: () => void = () => {}

  constructor (output: Pick<Output, 'begin' | 'note' | 'progress' | 'verbose'>) {
    this.#output = output
  }

  readonly show = (event: CollectionEvent): void => {
    switch (event.type) {
      case 'others':
        this.#wait('waiting for another garbage collection, which may have crashed')
        break
      case 'clearing':
        this.#wait(`cleaning up after killed commands, ${event.dead} so far`)
        break
      case 'walked':
      case 'listed':
        this.#count('finding unpinned blocks', event.blocks)
        break
      case 'waiting':
        if (event.sessions > 0) {
          this.#wait(`waiting for ${count(event.sessions, 'command')} that add${event.sessions === 1 ? 's' : ''}`)
        }

        break
      case 'fenced':
        if (this.#output.verbose) {
          this.#output.note(`${event.owner} did not renew its lease, and is considered dead`)
        }

        break
      case 'deleted':
        this.#count('deleting unpinned blocks', event.blocks)
        break
      default:
    }
  }

  end (): void {
    this.#end()
    this.#label = undefined
  }

  #count (label: string, blocks: number): void {
    if (label !== this.#label) {
      this.end()
      const progress = this.#output.progress(label, undefined, 'block')
      this.#label = label
      this.#add = done => { progress.add(done) }
      this.#end = () => { progress.end() }
    }

    this.#add(blocks)
  }

  #wait (label: string): void {
    if (label !== this.#label) {
      this.end()
      this.#label = label
      this.#end = this.#output.begin(label, { keepsBar: true })
    }
  }
}
