import { UnknownCodecError } from '@ipfsz/codecs'
import { mark, MARKERS, unmark } from '@ipfsz/core'
import { parseCid } from '../terminal/cid-path.ts'
import type { Context } from '../context.ts'
import type { MarkerName } from '@ipfsz/core'

const NAMES = Object.keys(MARKERS) as MarkerName[]

/** Print the marked twin of a plain CID. */
export function markCid (text: string, codec: string, { output }: Context): void {
  const name = NAMES.find(name => name === codec)

  if (name == null) {
    throw new UnknownCodecError(codec, NAMES)
  }

  const cid = mark(parseCid(text), name)
  output.result({ cid: cid.toString() }, cid.toString())
}

/** Print the plain twin of a marked CID. */
export function plainCid (text: string, { output }: Context): void {
  const cid = unmark(parseCid(text))
  output.result({ cid: cid.toString() }, cid.toString())
}
