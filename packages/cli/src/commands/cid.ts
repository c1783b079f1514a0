import { UnknownCodecError } from '@ipfsz/codecs'
import { mark, MARKERS, unmark } from '@ipfsz/core'
import { cidAt, withTargets } from '@ipfsz/node/read'
import { openToRead } from '@ipfsz/node/session'
import { nodeContext } from '../context.ts'
import type { Context } from '../context.ts'
import type { MarkerName } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

const NAMES = Object.keys(MARKERS) as MarkerName[]

export async function markCid (text: string, codec: string, context: Context): Promise<void> {
  const name = NAMES.find(name => name === codec)

  if (name == null) {
    throw new UnknownCodecError(codec, NAMES)
  }

  print(mark(await findCid(text, context), name), context)
}

export async function plainCid (text: string, context: Context): Promise<void> {
  print(unmark(await findCid(text, context)), context)
}

/** A CID alone needs no repo; a name and a path do. */
async function findCid (text: string, context: Context): Promise<CID> {
  return withTargets(nodeContext(context), [text], async ([target]) =>
    target.path === '' ? target.cid : cidAt(target, (await openToRead(context)).files, context.signal))
}

function print (cid: CID, { output }: Context): void {
  output.result({ cid: cid.toString() }, cid.toString())
}
