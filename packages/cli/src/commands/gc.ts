import { findGarbage, removeGarbage } from '../repo/collect-garbage.ts'
import { withRepo } from '../context.ts'
import { NothingPinnedError } from '../errors.ts'
import { hasLinks } from '../repo/link-store.ts'
import { keepsPins, setKeepsPins } from '../repo/repo.ts'
import { formatSize } from '../terminal/units.ts'
import type { Garbage } from '../repo/collect-garbage.ts'
import type { Context } from '../context.ts'
import type { Repo } from '../repo/repo.ts'

export interface GcCommandOptions {
  /** Only count. */
  dryRun: boolean
  /** Also where nothing is pinned, or what was added could not be. */
  force: boolean
}

/** Delete unpinned blocks, and links to compressed files that are gone. */
export async function gc ({ dryRun, force }: GcCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context

  await withRepo(context, { lock: 'gc', links: true, existing: true }, async ({ repo, files, pins: repoPins }) => {
    // all of it first: a file that is deleted is lost
    const garbage = await findGarbage(repo, repoPins.ls(signal), signal)
    const { pins, kept, unwanted, size } = garbage
    let links = 0

    if (!dryRun) {
      if (!force) {
        await check(repo, garbage)
      }

      await removeGarbage(repo, garbage, signal)
      await setKeepsPins(repo)
      links = await hasLinks(repo.path) ? await files.links.prune({ signal }) : 0
    }

    output.result(
      { dryRun, removed: unwanted, removedSize: size, kept, pins, links },
      `${dryRun ? 'Would remove' : 'Removed'} ${count(unwanted, 'unpinned block')} (${formatSize(size)}), kept ${count(kept, 'block')} of ${count(pins, 'pin')}` +
        (links > 0 ? `, deleted ${count(links, 'link')} to removed files` : '')
    )
  })
}

async function check (repo: Repo, { pins, unwanted: blocks }: Garbage): Promise<void> {
  if (blocks > 0 && pins === 0) {
    throw new NothingPinnedError(`Nothing is pinned in ${repo.path}, and ${count(blocks, 'block')} would be deleted: pin what is to stay with ipfsz pin add CID, or delete everything with --force`)
  }

  if (blocks > 0 && !await keepsPins(repo)) {
    throw new NothingPinnedError(`${repo.path} was made by an ipfsz that pinned nothing, and ${count(blocks, 'block')} would be deleted: pin what is to stay with ipfsz pin add CID, then give --force this once`)
  }
}

function count (number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
