import * as node from '@ipfsz/node/links'
import { nodeContext } from '../context.ts'
import { phraseCell } from '../terminal/row.ts'
import type { Context } from '../context.ts'
import type { Link } from '@ipfsz/core'
import type { AddLinkOptions } from '@ipfsz/node/links'

export interface AddLinkCommandOptions extends Pick<AddLinkOptions, 'unchecked'> {
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

export async function addLink (
  original: string,
  compressed: string,
  { unchecked, maxWindow: maxWindowSize }: AddLinkCommandOptions,
  context: Context
): Promise<void> {
  print(await node.addLink(nodeContext(context), original, compressed, { unchecked, maxWindowSize }), context)
}

export async function removeLinks (texts: string[], context: Context): Promise<void> {
  await node.removeLinks(nodeContext(context), texts, {
    onUnlink (cid) {
      context.output.row({ cid: cid.toString() }, [cid.toString(), phraseCell('no longer linked', ['unlinked'])])
    }
  })
}

export async function listLinks (context: Context): Promise<void> {
  for await (const link of node.listLinks(nodeContext(context))) {
    print(link, context)
  }
}

function print ({ original, compressed, checked }: Link, { output }: Context): void {
  output.row(
    { original: original.toString(), compressed: compressed.toString(), checked },
    [original.toString(), compressed.toString(), ...checked === false ? ['unchecked'] : []]
  )
}
