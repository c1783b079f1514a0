import { RepoError } from '../errors.ts'
import { isSameCompression, readCompression, writeCompression } from '../repo/repo-compression.ts'
import { openRepo, openRepoToRead } from '../repo/repo.ts'
import type { Context } from '../context.ts'
import type { RepoCompression } from '../repo/repo-compression.ts'

/** Make a repo, and say how it stores blocks. One that is there and does so already stays as it is. */
export async function init (compression: RepoCompression | undefined, { output, repo: path }: Context): Promise<void> {
  const isThere = await openRepoToRead(path).then(() => true, (err: unknown) => {
    if (err instanceof RepoError && err.cause != null && 'code' in (err.cause as Error)) {
      return false
    }

    throw err
  })
  const before = await readCompression(path)

  if (isThere && compression != null && !isSameCompression(before ?? { codec: 'none' }, compression)) {
    throw new RepoError(`There is a repo in ${path} that stores blocks otherwise: change it with ipfsz blockstore convert`)
  }

  const { path: made } = await openRepo(path)

  if (!isThere && compression != null) {
    await writeCompression(made, compression)
  }

  const codec = (compression ?? before)?.codec ?? 'none'
  output.result({ repo: made, codec }, `${isThere ? 'There is a repo' : 'Made a repo'} in ${made}, with blocks ${codec === 'none' ? 'as they are' : `compressed with ${codec}`}`)
}
