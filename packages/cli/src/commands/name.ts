import * as node from '@ipfsz/node/names'
import { nodeContext } from '../context.ts'
import { printable } from '../terminal/output.ts'
import type { Context } from '../context.ts'

export async function publishName (text: string, options: node.PublishOptions, context: Context): Promise<void> {
  const { name, cid, path, sequence } = await node.publishName(nodeContext(context), text, options)

  context.output.row(
    { name, cid: cid.toString(), path, sequence: Number(sequence) },
    [name, `${cid}${path === '' ? '' : `/${printable(path)}`}`]
  )
}

export async function resolveName (text: string, context: Context): Promise<void> {
  const { cid, path } = await node.resolveName(nodeContext(context), text)

  context.output.result({ cid: cid.toString(), path }, `${cid}${path === '' ? '' : `/${printable(path)}`}`)
}
