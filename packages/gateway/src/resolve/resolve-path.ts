import { unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { GatewayError } from '../errors.ts'
import type { Resolved } from './resolved.ts'
import type { GatewayComponents } from '../contract.ts'
import type { Target } from '../request/target.ts'

/** Stands in for the resolver of names and paths. */
export async function resolvePath (
  target: Target,
  components: GatewayComponents,
  signal: AbortSignal
): Promise<Resolved> {
  const { namespace, name, path } = target

  if (namespace === 'ipns' && components.names == null) {
    throw new GatewayError(501, 'This gateway resolves no names')
  }

  const named = namespace === 'ipns' ? await components.names?.resolve(name, { signal }) : undefined
  const root = named?.cid ?? CID.parse(name)
  const roots = [unmark(root)]
  let stats = await components.fs.stat(root, { signal })

  for (let i = 1; i <= path.length; i++) {
    stats = await components.fs.stat(root, { signal, path: path.slice(0, i).join('/') })
    roots.push(stats.plainCid)
  }

  return {
    cid: path.length === 0 ? root : stats.markedCid ?? stats.plainCid,
    stats,
    roots,
    rest: [],
    ...named == null ? {} : { ttl: named.ttl }
  }
}
