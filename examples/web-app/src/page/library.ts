import {
  deleteEntry,
  forgetEntry,
  listDeleted,
  listEntries,
  restoreEntry,
  saveEntry,
  sweep
} from '../ipfs/catalogue.ts'
import { announce, byId, codecLabel, explain, formatBytes, formatPercent, h } from './dom.ts'
import type { App } from './app.ts'
import type { Entry } from '../ipfs/catalogue.ts'

let begun = 0
let shown = 0

/** The list of files that are kept in this browser, and their size. */
export async function showLibrary (app: App): Promise<void> {
  const number = ++begun
  const [entries, deleted] = await Promise.all([listEntries(app.store), listDeleted(app.store)])

  // what was read later is shown already, and newer
  if (number < shown) {
    return
  }

  shown = number
  const focused = document.activeElement
  const action = byId('library').contains(focused) ? focused?.getAttribute('aria-label') : undefined

  byId('entries').replaceChildren(...entries.map(entry => card(entry, app)))
  byId('deleted').replaceChildren(...deleted.map(entry => deletedRow(entry, app)))
  byId('storage').replaceChildren(...await usage(entries, deleted, app))

  if (action != null) {
    // the focus stays where it was
    focusButton(action)
  }
}

function card (entry: Entry, app: App): HTMLElement {
  const { cid, name, size, storedSize, codec, pinned } = entry
  const part = storedSize / Math.max(size, 1)
  const bar = h('div', { class: 'fill' })

  bar.style.width = `${Math.min(part, 1) * 100}%`

  const act = (label: string, text: string, work: () => Promise<unknown>, attributes = {}): HTMLElement => (
    button(`${label} ${name}`, text, work, attributes))

  return h('li', { 'class': 'card entry', 'data-cid': cid.toString() },
    h('div', { class: 'title' },
      h('h3', {}, h('bdi', {}, name)),
      h('span', { class: `badge ${codec}` }, codecLabel(codec))),
    h('div', { class: 'squeeze', role: 'img', 'aria-label': `Stored in ${formatPercent(part)} of its size` }, bar),
    h('p', { class: 'note' }, `${formatBytes(size)} → ${formatBytes(storedSize)}, ${formatPercent(part)}`),
    h('div', { class: 'actions' },
      act('Open', 'Open', async () => app.open(cid.toString(), { name, focus: true }), { class: 'primary' }),
      act('Pin', pinned ? 'Pinned' : 'Pin', async () => pin(entry, app), { 'aria-pressed': String(pinned) }),
      act('Delete', 'Delete', async () => remove(entry, app), {
        disabled: pinned,
        title: pinned ? 'Unpin it first' : ''
      })))
}

/** A file that was deleted, until it is deleted for good. */
function deletedRow (entry: Entry, app: App): HTMLElement {
  const { cid, name } = entry

  return h('li', { 'data-cid': cid.toString() },
    h('span', {}, 'Deleted ', h('bdi', {}, name)),
    button(`Undo deleting ${name}`, 'Undo', async () => undo(entry, app)),
    button(`Delete ${name} for good`, 'Delete for good', async () => forget(entry, app)))
}

function button (label: string, text: string, work: () => Promise<unknown>, attributes = {}): HTMLElement {
  return h('button', {
    'type': 'button',
    'aria-label': label,
    ...attributes,
    'onclick': () => {
      work().catch(err => { announce(explain(err)) })
    }
  }, text)
}

async function pin (entry: Entry, app: App): Promise<void> {
  await saveEntry(app.store, { ...entry, pinned: !entry.pinned })

  // ask the browser not to evict pinned files
  const persisted = !entry.pinned && await navigator.storage.persist()
  await app.refresh()
  const safe = persisted ? ', and this browser will not evict it' : ''

  announce(`${entry.name} is ${entry.pinned ? 'no longer pinned' : `pinned${safe}`}`)
}

async function remove (entry: Entry, app: App): Promise<void> {
  await deleteEntry(app.store, entry)
  await app.refresh()
  focusButton(`Undo deleting ${entry.name}`)
  announce(`Deleted ${entry.name}. Undo brings it back`)
}

async function undo (entry: Entry, app: App): Promise<void> {
  try {
    await restoreEntry(app.store, entry)
    announce(`${entry.name} is back`)
  } finally {
    await app.refresh()
    focusButton(`Open ${entry.name}`)
  }
}

/** The button that had the focus is gone. */
function focusButton (label: string): void {
  const found = [...byId('library').querySelectorAll('button')]
    .find(button => button.getAttribute('aria-label') === label)

  ;(found ?? byId('library-title')).focus()
}

async function forget ({ cid, name }: Entry, app: App): Promise<void> {
  const blocks = await forgetEntry(app.store, cid)

  await app.refresh()
  byId('library-title').focus()
  announce(blocks == null
    ? `Deleted ${name}. Something is being added, so its blocks go with the leftovers`
    : `Deleted ${name} and the ${blocks} ${blocks === 1 ? 'block' : 'blocks'} that nothing else needs`)
}

async function usage (entries: Entry[], deleted: Entry[], app: App): Promise<HTMLElement[]> {
  if (entries.length + deleted.length === 0) {
    return [h('p', { class: 'note' }, 'Nothing yet. Files that you add stay here, also offline.')]
  }

  const { usage = 0, quota = 0 } = await navigator.storage.estimate()
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  const stored = entries.reduce((sum, entry) => sum + entry.storedSize, 0)
  const restorable = deleted.reduce((sum, entry) => sum + entry.storedSize, 0)
  const note = h('p', {}, `Deleted files take ${formatBytes(restorable)}, until they are deleted for good.`)

  return [
    h('p', {},
      h('strong', {}, `${formatBytes(size)} kept in ${formatBytes(stored)}`),
      `, ${formatPercent(stored / Math.max(size, 1))}. ` +
      `This browser counts ${formatBytes(usage)} for the page, and allows ${formatBytes(quota)}.`),
    ...deleted.length === 0 ? [] : [note],
    h('button', {
      type: 'button',
      onclick: () => {
        removeLeftovers(app).catch(err => { announce(explain(err)) })
      }
    }, 'Remove leftovers')
  ]
}

async function removeLeftovers (app: App): Promise<void> {
  const blocks = await sweep(app.store, { deletedBefore: Infinity })

  const busy = 'Something is being added. Remove leftovers when it is done'
  const deleted = blocks === 0
    ? 'There are no leftovers'
    : `Deleted ${blocks} leftover ${blocks === 1 ? 'block' : 'blocks'}`

  announce(blocks == null ? busy : deleted)
  await app.refresh()
}
