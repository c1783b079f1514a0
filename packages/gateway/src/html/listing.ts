import { formatSize } from '@ipfsz/utils/format-size'
import { breadcrumbs } from './breadcrumbs.ts'
import { encodeName, escapeAttribute, escapeText, revealHidden, showName } from './escape.ts'
import { page } from './page.ts'
import { BAR_STEPS } from './style.ts'
import type { BreadcrumbsInit } from './breadcrumbs.ts'

/** What a page of a directory shows. On a DNSLink host, there is no gateway to link other CIDs to. */
export interface Listing extends BreadcrumbsInit {
  /** The CID of the directory, plain or marked, as links should name it. */
  cid: string
  /** Original bytes of everything below it, if known. */
  size?: bigint
  /** Bytes of the blocks of all that, each counted once, and with those of the bases that reading it takes. */
  storedSize?: bigint
  fetchSize?: bigint
  entries: ListingEntry[]
  /** How many entries are shown, where there are more. Undefined: all are. */
  truncatedAt?: number
  /** The path of the link `..`, absent at the root. */
  parent?: string
  /** The prefix of links to entries: the path of this directory, with a slash at its end. */
  base: string
}

export interface ListingEntry {
  name: string
  /** The CID that reads the entry, marked if it is compressed. */
  cid: string
  type: 'file' | 'directory' | 'symlink' | 'unknown'
  /** Original bytes. Undefined for directories, and where the root block is missing. */
  size?: bigint
  storedSize?: bigint
  codec?: string
  /** With what others get the original from its plain CID. Undefined: they can only pin it. */
  readableWith?: string | undefined
}

/** Characters at either end of a CID that is shortened: enough to tell two apart. */
const SHOWN_CID = 6

const ICONS = `<svg class="vh" aria-hidden="true">
<symbol id="directory" viewBox="0 0 16 16"><path d="M1.75 12.5v-9h4l1.5 2h7v7z"/></symbol>
<symbol id="file" viewBox="0 0 16 16"><path d="M3.5 1.75h5.5l3.5 3.5v9h-9z"/><path d="M9 1.75v3.5h3.5"/></symbol>
<symbol id="symlink" viewBox="0 0 16 16"><path d="M3 12.5c0-4 2.5-6 7-6h2.5M9.5 3.5l3 3-3 3"/></symbol>
<symbol id="unknown" viewBox="0 0 16 16"><rect x="2.5" y="2.5" width="11" height="11" rx="2"/></symbol>
</svg>`

/** The page of a directory. Needs no script, and loads nothing. */
export function renderListing (listing: Listing): string {
  const { path, entries, parent, truncatedAt } = listing
  const rows = [...parent == null ? [] : [parentRow(parent)], ...entries.map(entry => entryRow(entry, listing))]

  return page(`Index of /${path.map(revealHidden).join('/')}`, `${ICONS}
<header>
<h1>Index of</h1>
<p class="path">${breadcrumbs(listing)}</p>
<dl class="facts">
${facts(listing)}
</dl>
</header>
<main>
<table>
<caption class="vh">Entries of this directory</caption>
<thead><tr><th scope="col">Name</th><th scope="col" class="num">Original</th><th scope="col" class="num">Stored</th>\
<th scope="col" class="how">Compression</th><th scope="col" class="cid">CID</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
${entries.length === 0 ? '<p class="note">This directory is empty.</p>\n' : ''}\
${truncatedAt == null ? '' : `<p class="note">Only the first ${truncatedAt} entries are shown. Open the others by \
their path, or download <a href="?format=tar">the archive</a> with all of them.</p>\n`}\
<p class="note">Download everything: <a href="?format=tar">tar</a> with the original files, or \
<a href="?format=car">car</a> with the stored blocks.</p>
</main>`)
}

function facts ({ path, cid, size, storedSize, fetchSize, entries, truncatedAt }: Listing): string {
  const ratio = ratioOf(size, storedSize)

  return [
    ['Entries', truncatedAt == null ? String(entries.length) : `more than ${truncatedAt}`],
    ...size == null ? [] : [['Original', formatSize(size)]],
    ...storedSize == null ? [] : [['Stored', formatSize(storedSize)]],
    ...fetchSize == null || fetchSize === storedSize ? [] : [['With bases', formatSize(fetchSize)]],
    ...ratio == null ? [] : [['Ratio', ratio.toFixed(3)]],
    // of a root, the path has it
    ...path[1] === cid ? [] : [['CID', cid]]
  ].map(([term, value]) => {
    const attribute = term === 'CID' ? ' class="id"' : ''

    return `<div${attribute}><dt>${term}</dt><dd translate="no">${escapeText(value)}</dd></div>`
  }).join('\n')
}

/** storedSize / size. Undefined where that means nothing. */
function ratioOf (size: bigint | undefined, storedSize: bigint | undefined): number | undefined {
  return size == null || storedSize == null || size === 0n ? undefined : Number(storedSize) / Number(size)
}

function icon (type: ListingEntry['type']): string {
  return `<svg role="img" aria-label="${type}"><use href="#${type}"/></svg>`
}

function parentRow (parent: string): string {
  return `<tr class="dir"><th scope="row" class="name"><div>${icon('directory')}\
<a href="${escapeAttribute(parent)}">..</a></div></th>\
<td class="num"></td><td class="num"></td><td class="how"></td><td class="cid"></td></tr>`
}

function entryRow (entry: ListingEntry, listing: Listing): string {
  const { name, type, size, storedSize } = entry

  return `<tr${type === 'directory' ? ' class="dir"' : ''}><th scope="row" class="name"><div>${icon(type)}\
<a href="${escapeAttribute(listing.base + encodeName(name))}">${showName(name)}</a></div></th>\
<td class="num">${size == null ? '' : formatSize(size)}</td>\
<td class="num">${storedSize == null ? '' : formatSize(storedSize)}</td>\
<td class="how">${compression(entry)}</td><td class="cid">${cidLink(entry, listing)}</td></tr>`
}

function compression ({ codec, size, storedSize, readableWith }: ListingEntry): string {
  const ratio = ratioOf(size, storedSize)

  if (codec == null || codec === 'none' || ratio == null) {
    return ''
  }

  const step = Math.round(Math.min(ratio, 1) * BAR_STEPS)

  const others = readableWith == null
    ? 'Others can pin it, but only IPFSz can read it'
    : `Others can read it with ${readableWith}`

  return `<div title="${escapeAttribute(others)}"><span class="codec">${escapeText(codec)}</span>\
<span class="bar b${step}" aria-hidden="true"></span><span>${ratio.toFixed(3)}</span></div>`
}

function cidLink ({ cid, name }: ListingEntry, { gatewayUrl, dnsLinkHost }: Listing): string {
  const text = `${cid.slice(0, SHOWN_CID)}…${cid.slice(-SHOWN_CID)}`
  // other gateways escape the name twice, and what reads their pages expects it
  const filename = encodeURIComponent(encodeName(name))
  const link = dnsLinkHost == null
    ? `href="${escapeAttribute(`${gatewayUrl}/ipfs/${cid}?filename=${filename}`)}"`
    : `href="https://cid.ipfs.tech/#${escapeAttribute(cid)}" target="_blank" rel="noreferrer noopener"`

  return `<a class="ipfs-hash" translate="no" ${link}>${escapeText(text)}</a>`
}
