import { deleteEntry, listEntries, saveEntry, sweep } from '../ipfs/catalogue.ts'
import { announce, byId, codecLabel, explain, formatBytes, formatPercent, h } from './dom.ts'
import type { App } from './app.ts'
import type { Entry } from '../ipfs/catalogue.ts'

/** The list of files that are kept in this browser, and their size. */
export async function showLibrary (app: App): Promise<void> {
  const entries = await listEntries(app.store)
  const focused = document.activeElement
  const action = byId('entries').contains(focused) ? focused?.getAttribute('aria-label') : undefined

  byId('entries').replaceChildren(...entries.map(entry => card(entry, app)))
  byId('storage').replaceChildren(...await usage(entries, app))

  if (action != null) {
    // the focus stays where it was, or moves to the title if its element is gone
    const again = [...byId('entries').querySelectorAll('button')]
      .find(button => button.getAttribute('aria-label') === action)
    ;(again ?? byId('library-title')).focus()
  }
}

function card (entry: Entry, app: App): HTMLElement {
  const { cid, name, size, storedSize, codec, pinned } = entry
  const part = storedSize / Math.max(size, 1)
  const bar = h('div', { class: 'fill' })

  bar.style.width = `${Math.min(part, 1) * 100}%`

  const act = (label: string, text: string, work: () => Promise<unknown>, attributes = {}): HTMLElement => h('button', {
    'type': 'button',
    'aria-label': `${label} ${name}`,
    ...attributes,
    'onclick': () => {
      work().catch(err => { announce(explain(err)) })
    }
  }, text)

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

async function pin (entry: Entry, app: App): Promise<void> {
  await saveEntry(app.store, { ...entry, pinned: !entry.pinned })

  // ask the browser not to evict pinned files
  const persisted = !entry.pinned && await navigator.storage.persist()
  await app.refresh()
  const safe = persisted ? ', and this browser will not evict it' : ''

  announce(`${entry.name} is ${entry.pinned ? 'no longer pinned' : `pinned${safe}`}`)
}

async function remove ({ cid, name }: Entry, app: App): Promise<void> {
  const blocks = await deleteEntry(app.store, cid)

  await app.refresh()
  announce(blocks == null
    ? `Deleted ${name}. Something is being added, so its blocks go with the leftovers`
    : `Deleted ${name} and the ${blocks} ${blocks === 1 ? 'block' : 'blocks'} that nothing else needs`)
}

async function usage (entries: Entry[], app: App): Promise<HTMLElement[]> {
  if (entries.length === 0) {
    return [h('p', { class: 'note' }, 'Nothing yet. Files that you add stay here, also offline.')]
  }

  const { usage = 0, quota = 0 } = await navigator.storage.estimate()
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  const stored = entries.reduce((sum, entry) => sum + entry.storedSize, 0)

  return [
    h('p', {},
      h('strong', {}, `${formatBytes(size)} kept in ${formatBytes(stored)}`),
      `, ${formatPercent(stored / Math.max(size, 1))}. ` +
      `This browser counts ${formatBytes(usage)} for the page, and allows ${formatBytes(quota)}.`),
    h('button', {
      type: 'button',
      onclick: () => {
        removeLeftovers(app).catch(err => { announce(explain(err)) })
      }
    }, 'Remove leftovers')
  ]
}

async function removeLeftovers (app: App): Promise<void> {
  const blocks = await sweep(app.store)

  const busy = 'Something is being added. Remove leftovers when it is done'
  const deleted = blocks === 0
    ? 'There are no leftovers'
    : `Deleted ${blocks} leftover ${blocks === 1 ? 'block' : 'blocks'}`

  announce(blocks == null ? busy : deleted)
  await app.refresh()
}
