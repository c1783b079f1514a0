import { isIpnsName } from '@ipfsz/node/internal/network/names/name-records'
import { requireNetwork } from '@ipfsz/node/internal/daemon/command-access'
import { networkAccess } from '../context.ts'
import { DEFAULT_TIMEOUT } from '@ipfsz/node/internal/daemon/access'
import { SELF } from '@ipfsz/node/internal/network/names/keys'
import { printable } from '../terminal/output.ts'
import { withTargets } from './read-target.ts'
import { withTimeout } from '@ipfsz/node/internal/read/with-timeout'
import type { Context } from '../context.ts'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'

export interface NamePublishOptions {
  key?: string
  /** How long the record is valid, in milliseconds. */
  lifetime?: number
}

/** What begins with none of these is a name alone. */
const PREFIX = /^(?:\/|[a-z]+:\/\/)/i

/** Publish an IPNS name for a CID, for what another name leads to now, or for a path below them. */
export async function publishName (
  text: string,
  { key = SELF, lifetime }: NamePublishOptions,
  context: Context
): Promise<void> {
  const { output } = context

  await withTargets([text], context, async ([{ cid, path }], access) =>
    withTimeout(timeoutOf(context), context.signal, 'The name was not published', async signal => {
      const network = await requireNetwork(access)
      const { name, sequence } = await output.during(
        'publishing the name',
        async () => network.publishName(cid, path, { key, lifetime, signal })
      )

      output.row(
        { name, cid: cid.toString(), path, sequence: Number(sequence) },
        [name.toString(), `${cid}${path === '' ? '' : `/${printable(path)}`}`]
      )
    }))
}

/**
 * Resolve a name: an IPNS name as other nodes know it, what was published here under a key of the repo, or a DNSLink.
 * Prints the marked CID if that was published.
 */
export async function resolveName (text: string, context: Context): Promise<void> {
  const { output } = context
  const { cid, path } = await (isIpnsName(text) ? resolveIpns(text, context) : resolveOther(text, context))

  output.result({ cid: cid.toString(), path }, `${cid}${path === '' ? '' : `/${printable(path)}`}`)
}

async function resolveIpns (text: string, context: Context): Promise<Pick<CidPath, 'cid' | 'path'>> {
  return withTimeout(timeoutOf(context), context.signal, `${text} was not resolved`, async signal => {
    const access = networkAccess(context)

    try {
      return await context.output.during(
        `resolving ${text}`,
        async () => (await requireNetwork(access)).resolveName(text, signal)
      )
    } finally {
      await access.close()
    }
  })
}

async function resolveOther (text: string, context: Context): Promise<CidPath> {
  return withTargets([PREFIX.test(text) ? text : `/ipns/${text}`], context, async ([target]) => target)
}

/** In milliseconds. */
function timeoutOf ({ network: { timeout = DEFAULT_TIMEOUT } = {} }: Context): number {
  return timeout
}
