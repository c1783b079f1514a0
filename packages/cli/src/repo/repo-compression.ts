import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { checkLevel } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { RepoError } from '../errors.ts'
import type { CodecName } from '@ipfsz/codecs'

/** How the blocks of a repo are stored, below their CIDs. */
export interface RepoCompression {
  codec: CodecName | 'none'
  level?: number
}

/**
 * How a repo stores blocks. Nothing where that was never said: then no block is
 * compressed.
 *
 * @throws {RepoError} it is not known how
 */
export async function readCompression (repo: string): Promise<RepoCompression | undefined> {
  let text: string

  try {
    text = await readFile(fileIn(repo), 'utf8')
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') {
      return undefined
    }

    throw err
  }

  try {
    return parse(text)
  } catch (err) {
    throw new RepoError(`${fileIn(repo)} does not say how blocks are stored: ${(err as Error).message}`, { cause: err })
  }
}

/** Store blocks so from now on. Atomic: others read what it was before, or what it is now, also after a loss of power. */
export async function writeCompression (repo: string, { codec, level }: RepoCompression): Promise<void> {
  const text = `${JSON.stringify({ codec, ...level == null ? {} : { level } })}\n`

  await writeAtomic(fileIn(repo), Buffer.from(text), { temporary: `${fileIn(repo)}.${randomUUID()}`, sync: true })
  await syncDirectory(repo)
}

/** Whether two ways to store blocks are one. */
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
