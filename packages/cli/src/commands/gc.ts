import { findGarbage, removeFiles } from '../collect-garbage.ts'
import { withRepo } from '../context.ts'
import { NothingPinnedError } from '../errors.ts'
import { hasLinks } from '../link-store.ts'
import { keepsPins, setKeepsPins } from '../repo.ts'
import { formatSize } from '../units.ts'
import type { Garbage } from '../collect-garbage.ts'
import type { Context } from '../context.ts'
import type { Repo } from '../repo.ts'

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
    const pins = []

    for await (const pin of repoPins.ls(signal)) {
      pins.push(pin)
    }

    // all of it first: a file that is deleted is lost
    const garbage = await findGarbage(repo, pins, signal)
    let links = 0

    if (!dryRun) {
      if (!force) {
        await check(repo, pins.length, garbage)
      }

      await removeFiles(garbage.files, signal)
      await setKeepsPins(repo)
      links = await hasLinks(repo.path) ? await files.links.prune({ signal }) : 0
    }

    output.result(
      { dryRun, removed: garbage.files.length, removedSize: garbage.size, kept: garbage.kept, pins: pins.length, links },
      `${dryRun ? 'Would remove' : 'Removed'} ${count(garbage.files.length, 'unpinned block')} (${formatSize(garbage.size)}), kept ${count(garbage.kept, 'block')} of ${count(pins.length, 'pin')}` +
        (links > 0 ? `, deleted ${count(links, 'link')} to removed files` : '')
    )
  })
}

async function check (repo: Repo, pins: number, { files: { length: blocks } }: Garbage): Promise<void> {
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
