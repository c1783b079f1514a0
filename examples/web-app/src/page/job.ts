import { announce, byId, explain, formatBytes, formatPercent, h } from './dom.ts'
import type { AddProgress, FileProgress } from '../ipfs/add.ts'
import type { Batch } from './dropped-files.ts'

/** The most files of a folder that are shown one by one. */
const MAX_ROWS = 50
/** How often progress is announced, in percent. */
const SAID_EVERY = 25

/** The progress of an add, by step and file. */
export class Job {
  readonly element: HTMLLIElement
  /** Whether to scroll to the result: it is the only one that was asked for. */
  readonly reveal: boolean
  readonly #name: string
  readonly #controller = new AbortController()
  readonly #steps = { compressing: meter('Compressing'), hashing: meter('Hashing'), storing: meter('Storing') }
  readonly #note = h('p', { class: 'note' }, 'Waiting for its turn')
  readonly #rows = h('ul', { class: 'rows' })
  #progress: AddProgress | undefined
  #frame = 0
  #said = 0

  constructor ({ name }: Batch, reveal: boolean) {
    this.#name = name
    this.reveal = reveal
    this.element = h('li', { class: 'card job' },
      h('div', { class: 'title' },
        h('h3', {}, h('bdi', {}, name)),
        h('button', {
          'type': 'button',
          'aria-label': `Cancel adding ${name}`,
          'onclick': () => { this.#cancel() }
        }, 'Cancel')),
      ...Object.values(this.#steps).map(({ element }) => element),
      this.#note,
      this.#rows
    )
  }

  get signal (): AbortSignal {
    return this.#controller.signal
  }

  /** Renders at most once per animation frame. */
  show (progress: AddProgress): void {
    this.#progress = progress
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      this.#draw()
    })
  }

  fail (err: unknown): void {
    // announced on click
    if (!this.signal.aborted) {
      this.#end(explain(err))
    }
  }

  /** Takes effect at once, also while the add waits in the queue. */
  #cancel (): void {
    this.#controller.abort()
    this.#end('Cancelled')
  }

  #end (text: string): void {
    const focused = this.element.contains(document.activeElement)
    const dismiss = h('button', {
      'type': 'button',
      'aria-label': `Dismiss ${this.#name}`,
      'onclick': () => { this.#dismiss() }
    }, 'Dismiss')

    cancelAnimationFrame(this.#frame)
    this.element.classList.add('failed')
    this.element.replaceChildren(
      h('div', { class: 'title' }, h('h3', {}, h('bdi', {}, this.#name)), dismiss),
      h('p', { role: 'alert', class: 'failure' }, text))

    if (focused) {
      dismiss.focus()
    }
  }

  #dismiss (): void {
    this.element.remove()
    byId('add').focus()
  }

  #draw (): void {
    const { size, read, compressed, hashed, stored, files } = this.#progress as AddProgress
    // files that are stored plain have no frames
    const done = Math.max(compressed, files.some(({ decided }) => decided?.codec !== 'none') ? 0 : read)
    const percent = size === 0 ? 100 : done / size * 100

    this.#steps.compressing.set(percent, `${formatBytes(done)} of ${formatBytes(size)}`)
    this.#steps.hashing.set(percent, formatBytes(hashed))
    this.#steps.storing.set(hashed === 0 ? 0 : percent * stored / hashed, formatBytes(stored))
    this.#note.textContent = done > 0 ? `${formatPercent(hashed / done)} of the original size so far` : 'Reading'

    if (files.length > 1) {
      // with many files, the next ones
      const rows = files.length > MAX_ROWS ? files.filter(({ cid }) => cid == null) : files

      this.#rows.replaceChildren(...rows.slice(0, MAX_ROWS).map(fileRow))
    }

    if (percent - this.#said >= SAID_EVERY && percent < 100) {
      this.#said = Math.floor(percent / SAID_EVERY) * SAID_EVERY
      announce(`${this.#name}: ${this.#said} %`)
    }
  }
}

function fileRow ({ path, size, read, decided, cid }: FileProgress): HTMLElement {
  const state = cid != null ? decided?.codec ?? 'stored' : read > 0 ? formatPercent(read / size) : 'waiting'

  return h('li', {}, h('bdi', {}, path), h('span', {}, state))
}

interface Meter {
  element: HTMLElement
  set (percent: number, text: string): void
}

function meter (label: string): Meter {
  const bar = h('div', { class: 'fill' })
  const value = h('span', { class: 'value' })
  const track = h('div', {
    'class': `track ${label.toLowerCase()}`,
    'role': 'progressbar',
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': 0
  }, bar)

  return {
    element: h('div', { class: 'meter' }, h('span', {}, label), track, value),

    set (percent, text) {
      bar.style.width = `${percent}%`
      value.textContent = text
      track.setAttribute('aria-valuenow', String(Math.round(percent)))
      track.setAttribute('aria-valuetext', text)
    }
  }
}
