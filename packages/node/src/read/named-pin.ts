import { openRepoToRead } from '../repo/repo.ts'
import { RepoPins } from '../repo/repo-pins.ts'
import { UsageError } from '../errors.ts'
import { nearWords } from '@ipfsz/utils/near-words'
import type { CidPath } from '../dag/cid-path.ts'
import type { NodeContext } from '../context.ts'
import type { CID } from 'multiformats/cid'

/** Maximum number of CIDs that an error lists for a name. */
const MAX_LISTED = 20

/**
 * Find what a text leads to that begins with the name of a pin, in the place of a CID.
 *
 * @param notCid - says that it begins with neither a CID nor a name that can be resolved
 */
export async function findNamedPin (
  text: string,
  notCid: UsageError,
  { repo: path, signal }: Pick<NodeContext, 'repo' | 'signal'>
): Promise<CidPath> {
  const byName = new Map<string, CID[]>()

  try {
    const pins = new RepoPins(await openRepoToRead(path))

    // records that are damaged have no names
    for await (const { cid, name } of pins.ls(signal, () => {})) {
      if (name != null) {
        byName.set(name, [...byName.get(name) ?? [], cid])
      }
    }
  } catch {
    signal.throwIfAborted()
    throw notCid
  }

  const [first] = text.split('/')

  // a name may have slashes in it
  for (const name of [text, first]) {
    const cids = byName.get(name) ?? []

    if (cids.length === 1) {
      return { cid: cids[0], path: text.slice(name.length + 1), text, label: text.split('/').findLast(Boolean) ?? name }
    }

    if (cids.length > 1) {
      const more = cids.length > MAX_LISTED ? ` and ${cids.length - MAX_LISTED} more` : ''

      throw new UsageError(
        `"${name}" is the name of ${cids.length} pins: pass one of their CIDs: ` +
          `${cids.slice(0, MAX_LISTED).join(', ')}${more}`,
        { cause: notCid }
      )
    }
  }

  const near = nearWords(first, byName.keys())

  throw near.length === 0
    ? notCid
    : new UsageError(
      `"${first}" is neither a CID nor the name of a pin: did you mean ${near.map(name => `"${name}"`).join(' or ')}?`,
      { cause: notCid }
    )
}
