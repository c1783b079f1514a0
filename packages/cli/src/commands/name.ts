import * as node from '@ipfsz/node/names'
import { nodeContext } from '../context.ts'
import { printable } from '../terminal/output.ts'
import type { Context } from '../context.ts'

export interface NamePublishOptions {
  key?: string
  /** How long the record is valid, in milliseconds. */
  lifetime?: number
}

/** Publish an IPNS name for a CID, for what another name leads to now, or for a path below them. */
export async function publishName (text: string, options: NamePublishOptions, context: Context): Promise<void> {
  const { name, cid, path, sequence } = await node.publishName(nodeContext(context), text, options)

  context.output.row(
    { name, cid: cid.toString(), path, sequence: Number(sequence) },
    [name, `${cid}${path === '' ? '' : `/${printable(path)}`}`]
  )
}

/**
 * Resolve a name: an IPNS name as other nodes know it, what was published here under a key of the repo, or a DNSLink.
 * Prints the marked CID if that was published.
 */
export async function resolveName (text: string, context: Context): Promise<void> {
  const { cid, path } = await node.resolveName(nodeContext(context), text)

  context.output.result({ cid: cid.toString(), path }, `${cid}${path === '' ? '' : `/${printable(path)}`}`)
}
