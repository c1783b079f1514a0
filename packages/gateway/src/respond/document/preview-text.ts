import * as dagJson from '@ipld/dag-json'
import { decodeDocument } from '../../dag/document.ts'
import type { CID } from 'multiformats/cid'

/** Larger documents are only offered for download, 256 KiB. */
const MAX_SHOWN_SIZE = 256 * 1024
/** Deeper ones are not indented: their indentation would be longer than they are. */
const MAX_INDENTED_DEPTH = 64

/** A document as indented DAG-JSON. Undefined: it is too large or too deep to be shown, or invalid. */
export function previewText (cid: CID, block: Uint8Array): string | undefined {
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
