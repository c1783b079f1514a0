import { formatBytes, h } from './dom.ts'
import { looksLikeCsv, parseCsv, separatorOf } from './csv.ts'
import { mediaType, showMedia } from './media.ts'
import type { MediaInit } from './media.ts'

/** The beginning of a file, and a way to read all of it. */
export interface PreviewInit extends MediaInit {
  head: Uint8Array<ArrayBuffer>
}

/** How many bytes of a file a preview reads, unless it needs all of them. */
export const HEAD_SIZE = 256 * 1024
const MAX_IMAGE_SIZE = 32_000_000
const MAX_JSON_SIZE = 4_000_000
const MAX_ROWS = 100
const MAX_COLUMNS = 30
const MAX_TEXT = 20_000
const MAX_CHILDREN = 200
/** The most letters of a name or a value in JSON. */
const MAX_LABEL = 1000
/** Levels of JSON that are open at first. */
const OPEN_LEVELS = 2

/** The magic bytes of images. SVG is text. */
const IMAGES: ReadonlyArray<[string, RegExp]> = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftypavi/s]
]

/** A preview of a file. Its content is inserted as text, never as HTML. */
export async function preview (init: PreviewInit): Promise<HTMLElement> {
  const { head, name, size } = init
  const start = String.fromCharCode(...head.subarray(0, 16))
  const image = IMAGES.find(([, magic]) => magic.test(start))
  const media = mediaType(start)

  if (image != null && size <= MAX_IMAGE_SIZE) {
    return showImage(init, image[0])
  }

  if (media != null) {
    return showMedia(init, media)
  }

  const text = decodeText(head)

  if (text == null) {
    return h('pre', { class: 'text', tabindex: 0 }, hexDump(head.subarray(0, 512)))
  }

  if (/\.(?:csv|tsv)$/i.test(name)) {
    return showTable(text, size > head.byteLength, /\.tsv$/i.test(name) ? '\t' : separatorOf(text))
  }

  if (/\.json$/i.test(name) || /^\s*[[{]/.test(text)) {
    const json = size <= MAX_JSON_SIZE ? await parseJson(init) : undefined

    if (json !== undefined) {
      return h('div', { class: 'json', tabindex: 0 }, jsonNode('', json.value, OPEN_LEVELS))
    }
  }

  // a file opened by its CID has no name
  if (!name.includes('.') && looksLikeCsv(text)) {
    return showTable(text, size > head.byteLength, separatorOf(text))
  }

  return h('pre', { class: 'text', tabindex: 0 }, text.slice(0, MAX_TEXT), text.length > MAX_TEXT ? '…' : '')
}

/** Bytes as text, or undefined if they are not text. They may end within a character. */
export function decodeText (bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })

    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Like {@link decodeText}, for bytes that may also begin within a character. */
export function decodePart (bytes: Uint8Array): string | undefined {
  const first = bytes.subarray(0, 4).findIndex(byte => byte >> 6 !== 0b10)

  return decodeText(bytes.subarray(Math.max(first, 0)))
}

export function hexDump (bytes: Uint8Array): string {
  return Array.from({ length: Math.ceil(bytes.byteLength / 16) }, (_, i) => {
    const row = bytes.subarray(i * 16, i * 16 + 16)
    const letters = Array.from(row, byte => byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·').join('')

    const hex = Array.from(row, byte => byte.toString(16).padStart(2, '0')).join(' ')

    return `${(i * 16).toString(16).padStart(6, '0')}  ${hex.padEnd(48)} ${letters}`
  }).join('\n')
}

async function showImage ({ name, readAll, signal }: PreviewInit, type: string): Promise<HTMLElement> {
  const url = URL.createObjectURL(new Blob([await readAll()], { type }))

  signal.addEventListener('abort', () => { URL.revokeObjectURL(url) }, { once: true })

  return h('img', { class: 'image', src: url, alt: `The picture ${name}` })
}

function showTable (text: string, more: boolean, separator: string): HTMLElement {
  const rows = parseCsv(more ? text.slice(0, text.lastIndexOf('\n')) : text, separator, MAX_ROWS + 1)
  const [header = [], ...body] = rows.map(row => row.slice(0, MAX_COLUMNS))
  const columns = Math.max(0, ...rows.map(row => row.length))
  const left = [
    more || rows.length > MAX_ROWS ? `The first ${body.length} rows` : '',
    columns > MAX_COLUMNS ? `${MAX_COLUMNS} of ${columns} columns` : ''
  ].filter(part => part !== '').join(', ')
  const region = { 'class': 'table', 'role': 'region', 'aria-label': 'The first rows of the table', 'tabindex': 0 }

  return h('div', region, h('table', {},
    left === '' ? null : h('caption', {}, left),
    h('thead', {}, h('tr', {}, ...header.map(cell => h('th', { scope: 'col' }, cell)))),
    h('tbody', {}, ...body.map(row => h('tr', {}, ...row.map(cell => h('td', {}, cell)))))))
}

async function parseJson ({ readAll }: PreviewInit): Promise<{ value: unknown } | undefined> {
  const text = await (await readAll()).text()

  try {
    return { value: JSON.parse(text) }
  } catch {
    // its name or its first bytes say so, but it is not an image
    return undefined
  }
}

/** A value that is built when it is opened. */
function jsonNode (key: string, value: unknown, openLevels: number): HTMLElement {
  const label = key === '' ? '' : `${key.slice(0, MAX_LABEL)}: `

  if (typeof value !== 'object' || value === null) {
    const shown = JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_LABEL) : value)

    return h('div', {}, label, h('span', { class: typeof value }, shown))
  }

  // lists may have millions of values: read only those that are shown
  const keys = Array.isArray(value)
    ? Array.from({ length: Math.min(value.length, MAX_CHILDREN) }, (_, i) => String(i))
    : Object.keys(value)
  const count = Array.isArray(value) ? value.length : keys.length
  const length = Array.isArray(value) ? `[${count}]` : `{${count}}`
  const details = h('details', { open: openLevels > 0 }, h('summary', {}, label, length))

  const grow = (): void => {
    if (details.open && details.childElementCount === 1) {
      details.append(...keys.slice(0, MAX_CHILDREN).map((key, i) => (
        jsonNode(key, (value as Record<string, unknown>)[key], i === 0 ? openLevels - 1 : 0)
      )))

      if (count > MAX_CHILDREN) {
        details.append(h('div', {}, `… ${count - MAX_CHILDREN} more`))
      }
    }
  }

  details.addEventListener('toggle', grow)
  grow()

  return details
}

/** How much of the file the preview shows. */
export function previewTitle (size: number): string {
  return size > HEAD_SIZE ? `Preview of ${formatBytes(size)}` : 'Preview'
}
