import { CODES, UnknownCodecError } from '@ipfsz/codecs'
import { mark, TREE_CODE, unmark } from '@ipfsz/core'
import { parseCid } from '../terminal/cid-path.ts'
import type { Context } from '../context.ts'

const MARKER_CODES: Readonly<Record<string, number>> = { ...CODES, tree: TREE_CODE }

/** Print the marked twin of a plain CID. */
export function markCid (text: string, codec: string, { output }: Context): void {
  const code = MARKER_CODES[codec]

  if (code == null) {
    throw new UnknownCodecError(codec, Object.keys(MARKER_CODES))
  }

  const cid = mark(parseCid(text), code)
  output.result({ cid: cid.toString() }, cid.toString())
}

/** Print the plain twin of a marked CID. */
export function plainCid (text: string, { output }: Context): void {
  const cid = unmark(parseCid(text))
  output.result({ cid: cid.toString() }, cid.toString())
}
