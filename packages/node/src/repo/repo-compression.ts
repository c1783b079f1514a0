import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { checkLevel } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { RepoError } from '../errors.ts'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import type { CodecName } from '@ipfsz/codecs'

/** The codec and level that compress a repo's blocks on disk. CIDs do not depend on them. */
export interface RepoCompression {
  codec: CodecName | 'none'
  level?: number
}

/**
 * Read how a repo compresses blocks. Undefined if this was never set: then it compresses none.
 *
 * @throws {RepoError} the setting cannot be parsed
 */
export async function readCompression (repo: string): Promise<RepoCompression | undefined> {
  try {
    const bytes = await readOwnFile(fileIn(repo))

    return bytes == null ? undefined : parse(String(bytes))
  } catch (err) {
    throw new RepoError(
      `Cannot read from ${fileIn(repo)} how this repo compresses blocks: ${(err as Error).message}`,
      { cause: err }
    )
  }
}

/** Set how a repo compresses new blocks. Atomic: readers see the old or the new setting, even after a power cut. */
export async function writeCompression (repo: string, { codec, level }: RepoCompression): Promise<void> {
  const text = `${JSON.stringify({ codec, ...level == null ? {} : { level } })}\n`

  await writeAtomic(fileIn(repo), Buffer.from(text), { temporary: `${fileIn(repo)}.${randomUUID()}`, sync: true })
  await syncDirectory(repo)
}

/** Whether two settings have the same codec and level. */
export function isSameCompression (a: RepoCompression, b: RepoCompression): boolean {
  return a.codec === b.codec && a.level === b.level
}

function fileIn (repo: string): string {
  return join(repo, 'blockstore.json')
}

function parse (text: string): RepoCompression {
  const { codec: name, level } = JSON.parse(text) as Record<string, unknown>

  if (name === 'none') {
    return { codec: name }
  }

  const codec = allCodecs().find(codec => codec.name === name)

  if (codec == null || (level != null && typeof level !== 'number')) {
    throw new TypeError(`there is no codec ${JSON.stringify(name)} with a level of ${JSON.stringify(level)}`)
  }

  return { codec: codec.name, ...level == null ? {} : { level: checkLevel(codec, level) } }
}
