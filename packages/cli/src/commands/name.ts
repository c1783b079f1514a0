import { openNetwork } from '../context.ts'
import { NameError } from '../errors.ts'
import { DEFAULT_TIMEOUT } from '../daemon/access.ts'
import { SELF } from '../network/names/keys.ts'
import { printable } from '../terminal/output.ts'
import { parseCidPath } from '../terminal/cid-path.ts'
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

  await withTimeout(context, async signal => {
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

  await withTimeout(context, async signal => {
    const network = await openNetwork(context)

    try {
      const { cid, path } = await network.resolveName(text, { signal })

      output.result({ cid: cid.toString(), path }, `${cid}${path === '' ? '' : `/${printable(path)}`}`)
    } finally {
      await network.close()
    }
  })
}

async function withTimeout (context: Context, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal, network: { timeout = DEFAULT_TIMEOUT } = {} } = context
  const expired = AbortSignal.timeout(timeout)

  try {
    await work(AbortSignal.any([signal, expired]))
  } catch (err) {
    throw expired.aborted && !signal.aborted
      ? new NameError(`No peer answered within ${timeout / 1000} s: allow more time with --timeout`, { cause: err })
      : err
  }
}
