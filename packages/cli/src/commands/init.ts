import { RepoError } from '../errors.ts'
import { isSameCompression, readCompression, writeCompression } from '../repo/repo-compression.ts'
import { openRepo, openRepoToRead } from '../repo/repo.ts'
import type { Context } from '../context.ts'
import type { RepoCompression } from '../repo/repo-compression.ts'

/**
 * Create a repo, and set how it stores blocks. Does nothing to a repo that already stores them so.
 *
 * @throws {RepoError} the repo stores blocks with another codec
 */
export async function init (compression: RepoCompression | undefined, { output, repo: path }: Context): Promise<void> {
  const exists = await openRepoToRead(path).then(() => true, (err: unknown) => {
    if (err instanceof RepoError && err.cause != null && 'code' in (err.cause as Error)) {
      return false
    }

    throw err
  })
  const before = await readCompression(path)

  if (exists && compression != null && !isSameCompression(before ?? { codec: 'none' }, compression)) {
    throw new RepoError(
      `The repo ${path} already stores blocks with ${describe(before)}: change that with ipfsz blockstore convert`
    )
  }

  const { path: made } = await openRepo(path)

  if (!exists && compression != null) {
    await writeCompression(made, compression)
  }

  const codec = (compression ?? before)?.codec ?? 'none'
  const blocks = codec === 'none' ? 'blocks not compressed' : `blocks compressed with ${codec}`

  output.sentence(
    { repo: made, codec },
    exists ? `The repo ${made} already exists, ${blocks}` : `Created a repo in ${made}, ${blocks}`
  )
}

function describe (compression: RepoCompression | undefined): string {
  const { codec, level } = compression ?? { codec: 'none' }

  return level == null ? codec : `${codec} level ${level}`
}
