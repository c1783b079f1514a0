import { formatSize } from '@ipfsz/utils/format-size'
import { breadcrumbs } from './breadcrumbs.ts'
import { escapeAttribute, escapeText, revealHidden, showName } from './escape.ts'
import { page } from './page.ts'

/** What a page of a DAG-CBOR or DAG-JSON document shows. */
export interface DocumentPage {
  /** `/ipfs/CID/a/b`, decoded names. The first two are the namespace and the root. */
  path: string[]
  cid: string
  /** Bytes of the block. */
  size: number
  /** The format of its download, such as `dag-cbor`. */
  format: string
  /** The document as DAG-JSON. Undefined: it cannot be shown. */
  text: string | undefined
  /** `//localhost:8080` on a subdomain, where links lead to the path gateway; otherwise empty. */
  gatewayUrl: string
  /** The host, where it is itself the DNSLink name. */
  dnsLinkHost?: string
}

/** A link of DAG-JSON, escaped. */
const LINK = /\{\s*"\/":\s*"([0-9A-Za-z]{1,512})"\s*\}/g

/** The page of a document, as DAG-JSON with its links as links. Needs no script, and loads nothing. */
export function renderDocument (document: DocumentPage): string {
  const { path, cid, size, format, text, gatewayUrl } = document
  const href = escapeAttribute(`${gatewayUrl}/ipfs/`)
  const content = text == null
    ? '<p class="note">This document is too large or too deeply nested to be shown.</p>'
    : `<pre>${showText(text).replaceAll(LINK, `{ "/": "<a href="${href}$1">$1</a>" }`)}</pre>`

  return page(`/${path.map(revealHidden).join('/')}`, `<header>
<h1>Document</h1>
<p class="path">${breadcrumbs(document)}</p>
<dl class="facts">
<div><dt>Block</dt><dd translate="no">${formatSize(BigInt(size))}</dd></div>
<div class="id"><dt>CID</dt><dd translate="no">${escapeText(cid)}</dd></div>
</dl>
</header>
<main>
${content}
<p class="note">Download it as <a href="?format=${format}&amp;download=true">${format}</a>, as its \
<a href="?format=raw">raw block</a>, or as <a href="?format=car">car</a> with all linked blocks.</p>
</main>`)
}

/** Lines stay lines: other characters that are not seen are replaced by their codes. */
function showText (text: string): string {
  return text.split('\n').map(showName).join('\n')
}
