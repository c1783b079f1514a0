import * as dagJson from '@ipld/dag-json'
import { decodeDocument } from '../car/document.ts'
import type { CID } from 'multiformats/cid'

/** Larger documents are only offered for download, 256 KiB. */
const MAX_SHOWN_SIZE = 256 * 1024
/** Deeper ones are not indented: their indentation would be longer than they are. */
const MAX_INDENTED_DEPTH = 64

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;'
}

/** A link of DAG-JSON, escaped. */
const LINK = /\{\s*&quot;\/&quot;:\s*&quot;([0-9A-Za-z]+)&quot;\s*\}/g

const STYLE = 'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}' +
  'h1{font-size:1.1rem;overflow-wrap:anywhere}pre{overflow:auto;padding:1rem;border:1px solid;border-radius:.5rem}' +
  ':root{color-scheme:light dark}'

/** A page that shows a document as DAG-JSON, with its links as links. */
export function previewPage (cid: CID, block: Uint8Array, { path, format }: { path: string, format: string }): string {
  const shown = textOf(cid, block)
  const content = shown == null
    ? '<p>This document is too large or too deep to be shown.</p>'
    : `<pre>${escapeHtml(shown).replace(LINK, '{ &quot;/&quot;: &quot;<a href="/ipfs/$1">$1</a>&quot; }')}</pre>`

  return '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escapeHtml(path)}</title><style>${STYLE}</style></head><body>` +
    `<h1>${escapeHtml(path)}</h1><p>CID: <code>${escapeHtml(cid.toString())}</code>, ${block.byteLength} bytes</p>` +
    `<p><a href="?format=${format}&amp;download=true">Download as ${format}</a> ` +
    '<a href="?format=raw">Raw block</a> <a href="?format=car">CAR</a></p>' +
    `${content}</body></html>\n`
}

function textOf (cid: CID, block: Uint8Array): string | undefined {
  if (block.byteLength > MAX_SHOWN_SIZE) {
    return undefined
  }

  try {
    const compact = new TextDecoder().decode(dagJson.encode(decodeDocument(cid, block)))

    return depthOf(compact) > MAX_INDENTED_DEPTH ? compact : JSON.stringify(JSON.parse(compact), null, 2)
  } catch {
    // it can still be downloaded
    return undefined
  }
}

/** At most how deep lists and maps are nested. Brackets in strings count too: that only makes it more. */
function depthOf (json: string): number {
  let depth = 0
  let deepest = 0

  for (const [bracket] of json.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    deepest = Math.max(deepest, depth)
  }

  return deepest
}

function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, character => ESCAPES[character])
}
