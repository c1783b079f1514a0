import { ipfsz } from '@ipfsz/core'
import { addEntry, listEntries, whileAdding } from '../ipfs/catalogue.ts'
import { fetchBlocks } from '../ipfs/dag.ts'
import { parseAddress, stat } from '../ipfs/read.ts'
import { folderActions } from './actions.ts'
import { announce, byId, failure, formatBytes, formatPercent, h } from './dom.ts'
import { showFile } from './file-view.ts'
import { cids, facts, heading } from './summary.ts'
import type { AddressBar } from './address-bar.ts'
import type { App, OpenOptions, Screen, ShowOptions } from './app.ts'
import type { View } from './file-view.ts'
import type { Address } from '../ipfs/read.ts'
import type { Stats } from '@ipfsz/core'

/** The most entries of a folder that are listed. */
const MAX_LISTED = 500

/** Shows the file or folder of an address. */
export class Viewer implements Screen {
  readonly #app: App
  readonly #bar: AddressBar
  readonly #view = byId('view')
  readonly #input = byId<HTMLInputElement>('address')
  #reading = new AbortController()

  constructor (app: App, bar: AddressBar) {
    this.#app = app
    this.#bar = bar
    byId('open-form').addEventListener('submit', event => {
      event.preventDefault()
      void this.open(this.#input.value, { focus: true })
    })
    this.clear()
  }

  /** Open what somebody typed or chose. The address of the page follows. */
  async open (text: string, options: OpenOptions = {}): Promise<void> {
    let address: Address

    try {
      address = parseAddress(text)
    } catch (err) {
      this.fail(err)
      return
    }

    this.#bar.opened(address, options.name)
    await this.show(address, options)
  }

  async show (address: Address, { name, focus = false, reveal = false, connected }: ShowOptions = {}): Promise<void> {
    // the focus moves to the new content, or it would be lost
    const toTitle = focus || this.#view.contains(document.activeElement)
    const { signal } = this.#begin()

    this.#input.value = [address.cid, address.path].filter(part => part !== '').join('/')
    this.#view.replaceChildren(h('p', { class: 'note' }, 'Searching'))

    try {
      try {
        await this.#render(address, name, signal)
      } catch (err) {
        if (connected == null || signal.aborted || !isNotThere(err)) {
          throw err
        }

        await connected
        signal.throwIfAborted()
        await this.#render(address, name, signal)
      }

      if (toTitle) {
        this.#view.querySelector('h3')?.focus()
      }
    } catch (err) {
      // something else was opened meanwhile
      if (signal.aborted) {
        return
      }

      this.#view.replaceChildren(failure(this.#explain(err)))
    }

    this.#reveal(reveal)
  }

  /** Show why something cannot be opened. */
  fail (err: unknown, { reveal = false }: Pick<ShowOptions, 'reveal'> = {}): void {
    this.#begin()
    this.#view.replaceChildren(failure(err))
    this.#reveal(reveal)
  }

  /** Show nothing. */
  clear (): void {
    this.#begin()
    this.#view.replaceChildren(h('p', { class: 'note' },
      'Add a file or paste a CID to see its blocks. ' +
      'Then drag over the bar to read a part, and see which blocks it takes.'))
  }

  /** Scroll to what is shown, if its beginning is out of sight. */
  #reveal (reveal: boolean): void {
    const first = this.#view.firstElementChild

    if (reveal && first != null && !isInSight(first)) {
      first.scrollIntoView({ block: 'start' })
    }
  }

  /** End what is read for what was shown before. */
  #begin (): AbortController {
    this.#reading.abort()
    this.#reading = new AbortController()

    return this.#reading
  }

  async #render (address: Address, name: string | undefined, signal: AbortSignal): Promise<void> {
    const app = this.#app
    const stats = await stat(app.source(), address, signal)
    const found = name ?? await this.#nameOf(address)
    const title = found ?? 'Unnamed'
    const filename = address.path === '' ? found : undefined
    const shown = { app, name: title, stats, signal, link: () => this.#bar.linkTo(address, filename) }
    const { preview, actions, structure }: View = stats.type === 'directory'
      ? { preview: await this.#folder(address, signal), actions: folderActions(shown, address), structure: [] }
      : await showFile(shown)

    const keep = await this.#keep(address, title, stats, signal)

    signal.throwIfAborted()
    this.#view.replaceChildren(
      heading(title, stats), ...preview, facts(stats), keep, actions, ...cids(address, stats), ...structure
    )
    announce(`Opened ${title}`)
  }

  async #folder (address: Address, signal: AbortSignal): Promise<HTMLElement[]> {
    const rows: HTMLElement[] = []

    const fs = ipfsz({ blockstore: this.#app.source() })

    for await (const entry of fs.ls(address.cid, { path: address.path, signal })) {
      const path = [address.path, entry.name].filter(part => part !== '').join('/')
      const part = entry.ratio == null || entry.type === 'directory' ? '' : `, stored in ${formatPercent(entry.ratio)}`

      rows.push(h('li', {},
        h('button', {
          type: 'button',
          class: 'link',
          onclick: () => { void this.open(`${address.cid}/${path}`, { focus: true }) }
        }, h('bdi', {}, entry.name)),
        h('span', {}, entry.type === 'directory' ? 'folder' : `${formatBytes(Number(entry.size))}${part}`)))

      if (rows.length === MAX_LISTED) {
        rows.push(h('li', {}, 'and more'))
        break
      }
    }

    return [h('ul', { class: 'rows listing', 'aria-label': 'In this folder' }, ...rows)]
  }

  /** A button that fetches everything and adds it to the list, unless it is on the list. */
  async #keep (
    { cid, path }: Address,
    name: string,
    { type, size, storedSize, codec, markedCid, plainCid }: Stats,
    signal: AbortSignal
  ): Promise<HTMLElement> {
    const { store, source, refresh } = this.#app
    const entries = await listEntries(store)
    const kept = path === '' ? cid : markedCid ?? plainCid
    const row = h('div', { class: 'keep' })

    const keep = async (): Promise<void> => {
      const note = h('p', { class: 'note' })

      row.replaceChildren(note)
      await whileAdding(async () => {
        await fetchBlocks(kept, source(), {
          signal,
          onBlock: blocks => { note.textContent = `${blocks} blocks stored` }
        })
        await addEntry(store, {
          cid: kept,
          name,
          size: Number(size),
          storedSize: Number(storedSize),
          codec: type === 'directory' ? 'folder' : codec
        })
      })
      await refresh()
      row.replaceChildren()
      announce(`${name} is kept in this browser`)
    }

    if (!entries.some(entry => entry.cid.equals(kept))) {
      row.append(h('button', {
        type: 'button',
        onclick: () => { keep().catch(err => { row.replaceChildren(failure(err)) }) }
      }, 'Keep in this browser'))
    }

    return row
  }

  async #nameOf ({ cid, path }: Address): Promise<string | undefined> {
    if (path !== '') {
      return path.split('/').at(-1)
    }

    const entries = await listEntries(this.#app.store)

    return entries.find(entry => entry.cid.equals(cid))?.name
  }

  #explain (err: unknown): unknown {
    return isMissing(err) && this.#app.node() == null
      ? `${err.message}. It is not kept in this browser, and no peer is connected.`
      : err
  }
}

function isMissing (err: unknown): err is Error {
  return err instanceof Error && err.name === 'NotFoundError'
}

/** Whether another peer may have what is missing. */
function isNotThere (err: unknown): boolean {
  return isMissing(err) || (err instanceof Error && ['BlockNotSentError', 'PeerGoneError'].includes(err.name))
}

function isInSight (element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()

  return top >= 0 && bottom <= innerHeight
}
