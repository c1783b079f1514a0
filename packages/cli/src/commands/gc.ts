import { findGarbage, removeGarbage } from '../repo/collect-garbage.ts'
import { withRepo } from '../context.ts'
import { NothingPinnedError, StoreError } from '../errors.ts'
import { keepsPins, setKeepsPins } from '../repo/repo.ts'
import { counter } from '../terminal/progress.ts'
import { count, formatSize } from '../terminal/units.ts'
import { withOriginals } from './originals.ts'
import type { Garbage } from '../repo/collect-garbage.ts'
import type { Context } from '../context.ts'
import type { Repo } from '../repo/repo.ts'

export interface GcCommandOptions {
  /** Count the blocks, but delete nothing. */
  dryRun: boolean
  /** Delete even if nothing is pinned, or if the repo was made by a version that pinned nothing. */
  force: boolean
}

/** Delete unpinned blocks, and links to compressed files that are gone. */
export async function gc ({ dryRun, force }: GcCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context

  await withRepo(context, { lock: 'gc', links: true, existing: true }, async session => {
    const { repo, files, pins: repoPins } = session

    if (repo.shared != null) {
      throw new StoreError(`The garbage of the store ${repo.shared.name} cannot be collected yet: other nodes may add`)
    }

    // find all garbage before deleting any: a deleted block cannot be brought back
    const search = output.progress('finding unpinned blocks', undefined, 'block')
    const garbage = await findGarbage(repo, repoPins.ls(signal), { signal, onBlocks: counter(search) })
      .finally(() => search.end())
    const { pins, kept, unwanted, size } = garbage
    let links = 0

    if (!dryRun) {
      if (!force) {
        await checkPins(repo, garbage)
      }

      // before the files that they are derived from
      await withOriginals(session, async originals =>
        originals.prune({ signal, has: ({ multihash }) => garbage.reached.has(multihash.bytes) }))

      const deletion = output.progress('deleting unpinned blocks', unwanted, 'block')
      await removeGarbage(repo, garbage, { signal, onBlocks: counter(deletion) }).finally(() => deletion.end())
      await setKeepsPins(repo)
      links = await repo.links.exist()
        ? await output.during('deleting links to deleted files', async () => files.links.prune({ signal }))
        : 0
    }

    output.sentence(
      { dryRun, removed: unwanted, removedSize: size, kept, pins, links },
      `${dryRun ? 'Would delete' : 'Deleted'} ${count(unwanted, 'unpinned block')} (${formatSize(size)}), ` +
        `kept ${count(kept, 'block')} of ${count(pins, 'pin')}` +
        (links > 0 ? `, deleted ${count(links, 'link')} to deleted files` : '')
    )
  })
}

/** @throws {NothingPinnedError} the collection would delete blocks that were never pinned */
async function checkPins (repo: Repo, { pins, unwanted: blocks }: Garbage): Promise<void> {
  if (blocks > 0 && pins === 0) {
    throw new NothingPinnedError(
      `Nothing is pinned in ${repo.path}, so ${count(blocks, 'block')} would be deleted: ` +
        'pin what you want to keep with ipfsz pin add CID, or delete everything with --force'
    )
  }

  if (blocks > 0 && !await keepsPins(repo)) {
    throw new NothingPinnedError(
      `${repo.path} was made by a version of ipfsz that did not pin, so ${count(blocks, 'block')} would be deleted: ` +
        'pin what you want to keep with ipfsz pin add CID, then use --force once'
    )
  }
}
