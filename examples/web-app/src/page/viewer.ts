import { ipfsz } from '@ipfsz/core'
import { addEntry, listEntries, whileAdding } from '../ipfs/catalogue.ts'
import { fetchBlocks } from '../ipfs/dag.ts'
import { parseAddress, stat } from '../ipfs/read.ts'
import { folderActions } from './actions.ts'
import { announce, byId, codecLabel, copyable, failure, formatBytes, formatPercent, h } from './dom.ts'
import { showFile } from './file-view.ts'
import type { App, OpenOptions } from './app.ts'
import type { Address } from '../ipfs/read.ts'
import type { Stats } from '@ipfsz/core'

/** The most entries of a folder that are listed. */
const MAX_LISTED = 500

/** Shows the file or folder of an address. */
export class Viewer {
  readonly #app: App
  readonly #view = byId('view')
  readonly #input = byId<HTMLInputElement>('address')
  #reading = new AbortController()

  constructor (app: App) {
    this.#app = app
    byId('open-form').addEventListener('submit', event => {
      event.preventDefault()
      void this.open(this.#input.value, { focus: true })
    })
    this.#view.append(h('p', { class: 'note' },
      'Add a file or paste a CID to see its blocks. ' +
      'Then drag over the bar to read a part, and see which blocks it takes.'))
  }

  async open (address: string, { name, focus = false }: OpenOptions = {}): Promise<void> {
    // the focus moves to the new content, or it would be lost
    const toTitle = focus || this.#view.contains(document.activeElement)

    this.#reading.abort()
    const reading = this.#reading = new AbortController()

    this.#input.value = address
    this.#view.replaceChildren(h('p', { class: 'note' }, 'Searching'))

    try {
      await this.#show(parseAddress(address), name, reading.signal)

      if (toTitle) {
        this.#view.querySelector('h3')?.focus()
      }
    } catch (err) {
      // something else was opened meanwhile
      if (reading === this.#reading) {
        this.#view.replaceChildren(failure(this.#explain(err)))
      }
    }
  }

  async #show (address: Address, name: string | undefined, signal: AbortSignal): Promise<void> {
    const app = this.#app
    const stats = await stat(app.source(), address, signal)
    const title = name ?? await this.#nameOf(address)
    const shown = { app, name: title, stats, signal }
    const content = stats.type === 'directory'
      ? [folderActions(shown), ...await this.#folder(address, signal)]
      : await showFile(shown)

    signal.throwIfAborted()
    const keep = await this.#keep(address, title, stats, signal)
    this.#view.replaceChildren(heading(title, stats), facts(stats), ...cids(address, stats), keep, ...content)
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

  async #nameOf ({ cid, path }: Address): Promise<string> {
    if (path !== '') {
      return path.split('/').at(-1) ?? path
    }

    const entries = await listEntries(this.#app.store)

    return entries.find(entry => entry.cid.equals(cid))?.name ?? 'Unnamed'
  }

  #explain (err: unknown): unknown {
    return err instanceof Error && err.name === 'NotFoundError' && this.#app.node() == null
      ? `${err.message}. It is not kept in this browser, and no peer is connected.`
      : err
  }
}

function heading (title: string, { codec, type }: Stats): HTMLElement {
  return h('div', { class: 'title' },
    h('h3', { tabindex: -1 }, h('bdi', {}, title)),
    h('span', { class: `badge ${codec}` }, type === 'directory' ? 'folder' : codecLabel(codec)))
}

function facts ({ type, size, storedSize, ratio, frames }: Stats): HTMLElement {
  return h('dl', { class: 'facts' },
    ...type === 'directory' ? [] : [fact('Original', formatBytes(Number(size)))],
    fact('Stored', formatBytes(Number(storedSize))),
    ...type === 'directory' ? [] : [fact('Ratio', formatPercent(ratio)), fact('Frames', String(frames))])
}

function fact (label: string, value: string): HTMLElement {
  return h('div', {}, h('dt', {}, label), h('dd', {}, value))
}

/** Both CIDs: the marked one reads the original, the plain one is for every node. */
function cids ({ cid, path }: Address, { markedCid, plainCid, type }: Stats): HTMLElement[] {
  if (path === '' && type === 'directory') {
    const plain = plainCid.equals(cid) ? [] : [copyable('plain CID', plainCid.toString())]

    return [copyable('CID', cid.toString()), ...plain]
  }

  return markedCid == null
    ? [copyable('CID', plainCid.toString())]
    : [copyable('CID', markedCid.toString()), copyable('plain CID', plainCid.toString())]
}
