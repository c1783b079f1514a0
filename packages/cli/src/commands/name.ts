import { openNetwork } from '../context.ts'
import { DEFAULT_TIMEOUT } from '../daemon/access.ts'
import { SELF } from '../network/names/keys.ts'
import { printable } from '../terminal/output.ts'
import { parseCidPath } from '../terminal/cid-path.ts'
import { withTimeout } from './with-timeout.ts'
import type { Context } from '../context.ts'

export interface NamePublishOptions {
  key?: string
  /** How long the record is valid, in milliseconds. */
  lifetime?: number
}

/** Publish an IPNS name for a CID, or for a path below it. */
export async function publishName (
  text: string,
  { key = SELF, lifetime }: NamePublishOptions,
  context: Context
): Promise<void> {
  const { cid, path } = parseCidPath(text)
  const { output } = context

  await withTimeout(timeoutOf(context), context.signal, 'The name was not published', async signal => {
    const network = await openNetwork(context)

    try {
      const { name, sequence } = await network.publishName(cid, path, { key, lifetime, signal })

      output.result(
        { name, cid: cid.toString(), path, sequence: Number(sequence) },
        `${name}\t${cid}${path === '' ? '' : `/${printable(path)}`}`
      )
    } finally {
      await network.close()
    }
  })
}

/** Resolve an IPNS name. Prints the marked CID if that was published. */
export async function resolveName (text: string, context: Context): Promise<void> {
  const { output } = context

  await withTimeout(timeoutOf(context), context.signal, `${text} was not resolved`, async signal => {
    const network = await openNetwork(context)

    try {
      const { cid, path } = await network.resolveName(text, { signal })

      output.result({ cid: cid.toString(), path }, `${cid}${path === '' ? '' : `/${printable(path)}`}`)
    } finally {
      await network.close()
    }
  })
}

/** In milliseconds. */
function timeoutOf ({ network: { timeout = DEFAULT_TIMEOUT } = {} }: Context): number {
  return timeout
}
