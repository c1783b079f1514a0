import { SAMPLE_SIZE } from '../ipfs/compare.ts'
import { readBlob, readRange } from '../ipfs/read.ts'
import { showComparison } from './chart.ts'
import { PEERS_EVENT } from './peer-panel.ts'
import { announce, copy, copyable, formatBytes, h, inform } from './dom.ts'
import type { App } from './app.ts'
import type { Address } from '../ipfs/read.ts'
import type { Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface ActionsInit {
  app: App
  /** The link of what is shown, after the # of the page's address. */
  link: () => string
  name: string
  stats: Stats
  /** Aborted when something else is shown. */
  signal: AbortSignal
}

/** What can be done with a file. */
export function fileActions ({ app, link, name, stats, signal }: ActionsInit): HTMLElement {
  const output = h('div', { class: 'outcome', 'aria-live': 'polite' })
  const cid = stats.markedCid ?? stats.plainCid

  return h('div', { class: 'actions' },
    // continues when something else is shown
    button('Download', () => { inform(output, async () => download(app, cid, name)) }),
    button('Share', () => { inform(output, async () => share(app, link()), signal) }),
    button('Compare codecs', () => { inform(output, async () => compare(app, stats, output, signal), signal) }),
    giveButton(app, output, cid, signal),
    output)
}

/**
 * What can be done with a folder.
 *
 * @param address - by which it was opened: by its plain CID, the files in it are what is stored
 */
export function folderActions ({ app, link, name, stats, signal }: ActionsInit, address: Address): HTMLElement {
  const output = h('div', { class: 'outcome', 'aria-live': 'polite' })
  const cid = address.path === '' ? address.cid : stats.markedCid ?? stats.plainCid

  return h('div', { class: 'actions' },
    // continues when something else is shown
    button('Download', () => { inform(output, async () => downloadFolder(app, address, name)) }),
    button('Share', () => { inform(output, async () => share(app, link()), signal) }),
    giveButton(app, output, cid, signal),
    output)
}

function button (text: string, onclick: () => void): HTMLElement {
  return h('button', { type: 'button', onclick }, text)
}

/** Can be pressed while a peer is connected. */
function giveButton (app: App, output: HTMLElement, cid: CID, signal: AbortSignal): HTMLElement {
  const element = h('button', {
    type: 'button',
    onclick: () => { inform(output, async () => give(app, cid, signal), signal) }
  }, 'Give to the peer')
  const update = (): void => {
    element.disabled = app.node() == null
    element.title = element.disabled ? 'Connect to a peer first' : ''
  }

  update()
  addEventListener(PEERS_EVENT, update, { signal })

  return element
}

async function downloadFolder (app: App, address: Address, name: string): Promise<HTMLElement[]> {
  announce(`Reading ${name}`)
  const { readTar } = await import('../ipfs/tar.ts')
  const blob = await readTar(app.source(), address)

  save(blob, `${name}.tar`)

  return [h('p', { class: 'note' }, `Read ${formatBytes(blob.size)}, including the tar headers`)]
}

async function download (app: App, cid: CID, name: string): Promise<HTMLElement[]> {
  announce(`Reading ${name}`)
  const begin = performance.now()
  const blob = await readBlob(app.source(), cid)
  const seconds = (performance.now() - begin) / 1000

  save(blob, name)

  const speed = `${seconds.toFixed(2)} s, ${Math.round(blob.size / 1e6 / seconds)} MB/s`

  return [h('p', { class: 'note' }, `Read ${formatBytes(blob.size)} in ${speed}`)]
}

function save (blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)

  h('a', { href: url, download: name }).click()
  // the browser starts the download before this timer fires
  setTimeout(() => { URL.revokeObjectURL(url) }, 60_000)
}

/** Copy the address of what is shown. */
async function share (app: App, link: string): Promise<HTMLElement[]> {
  const url = new URL(link, location.href).href
  const note = app.node() == null
    ? 'It may be only in this browser. Connect to a peer and give it to that peer, then share again.'
    : 'The link reads from the peer: if you added the file here, give it to the peer first.'

  await copy('link', url)

  return [copyable('link', url), h('p', { class: 'note' }, note)]
}

async function compare (
  app: App,
  { size, markedCid, plainCid }: Stats,
  output: HTMLElement,
  signal: AbortSignal
): Promise<HTMLElement[]> {
  if (size === 0n) {
    return [h('p', { class: 'note' }, 'The file is empty')]
  }

  const { bytes } = await readRange(app.source(), markedCid ?? plainCid, { length: SAMPLE_SIZE, signal })
  const element = h('div', { class: 'comparison' })

  output.replaceChildren(element)
  await showComparison(bytes, element, signal)

  return [element]
}

async function give (app: App, cid: CID, signal: AbortSignal): Promise<HTMLElement[]> {
  const node = app.node()

  if (node == null) {
    return [h('p', { class: 'note' }, 'The peer has disconnected: connect to a peer first')]
  }

  try {
    const { size, sha256, milliseconds } = await node.give(cid, signal)

    const read = `The peer has fetched all ${formatBytes(size)} in ${milliseconds} ms. SHA-256 of what it read: `

    return [h('p', { class: 'note' }, read, h('code', {}, sha256.slice(0, 64)))]
  } catch (err) {
    // checks the name, because importing the class would load the network
    if (err instanceof Error && err.name === 'PeerNotAskableError') {
      const hint = 'A page cannot make this peer fetch. While this page is open, run this on the peer\'s machine: '

      return [h('p', { class: 'note' }, hint), copyable('command', `ipfsz get ${cid}`)]
    }

    throw err
  }
}
