// Room: how a repo keeps its blocks: as files or in packs, and how they are compressed.
import { randomUUID } from 'node:crypto'
import { link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { checkLevel } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { RepoError } from '../errors.ts'
import type { CodecName } from '@ipfsz/codecs'

/** Where blocks are: each in a file of its own, or in packs. */
export type BlockLayout = 'files' | 'packs'

/** The codec and level that compress a repo's blocks on disk. CIDs do not depend on them. */
export interface RepoCompression {
  codec: CodecName | 'none'
  level?: number
}

/** How a repo keeps its blocks. */
export interface BlockSetting {
  layout: BlockLayout
  /** The layout that is being left: blocks that are not moved yet are there. */
  from?: BlockLayout | undefined
  /** Of blocks in files; packs compress by themselves. Undefined if it was never set: then none is compressed. */
  compression?: RepoCompression | undefined
}

/** The layout of new repos. */
export const DEFAULT_LAYOUT: BlockLayout = 'packs'

const LAYOUTS: ReadonlySet<unknown> = new Set<BlockLayout>(['files', 'packs'])

/**
 * Read how a repo keeps its blocks. Undefined if there is no setting: then the repo is new, or has files that are not
 * compressed.
 */
export async function readBlockSetting (repo: string): Promise<BlockSetting | undefined> {
  try {
    const bytes = await readOwnFile(settingIn(repo))

    return bytes == null ? undefined : parse(String(bytes))
  } catch (err) {
    throw new RepoError(
      `Cannot read how this repo keeps blocks from ${settingIn(repo)}: ${(err as Error).message}`,
      { cause: err }
    )
  }
}

/** Set how a repo keeps blocks. Atomic: readers see the old or the new setting, even after a power cut. */
export async function writeBlockSetting (repo: string, setting: BlockSetting): Promise<void> {
  await writeAtomic(settingIn(repo), bytesOf(setting), { temporary: `${settingIn(repo)}.${randomUUID()}`, sync: true })
  await syncDirectory(repo)
}

/** Set how a new repo keeps blocks, unless another process does so first. Returns the setting of the repo. */
export async function beginBlockSetting (repo: string, setting: BlockSetting): Promise<BlockSetting> {
  const temporary = `${settingIn(repo)}.${randomUUID()}`
  await writeAtomic(temporary, bytesOf(setting), { temporary: `${temporary}.tmp`, sync: true })

  try {
    await link(temporary, settingIn(repo))
  } catch (err) {
    const others = await readBlockSetting(repo)

    if (others != null) {
      return others
    }

    if ((err as NodeJS.ErrnoException).code === 'EEXIST') {
      throw err
    }

    // a file system without hard links
    await rename(temporary, settingIn(repo))
  } finally {
    await rm(temporary, { force: true })
  }

  await syncDirectory(repo)

  return setting
}

/** Whether two settings have the same codec and level. */
export function isSameCompression (a: RepoCompression, b: RepoCompression): boolean {
  return a.codec === b.codec && a.level === b.level
}

/** The file of the setting. */
export function settingIn (repo: string): string {
  return join(repo, 'blockstore.json')
}

function bytesOf ({ layout, from, compression }: BlockSetting): Buffer {
  return Buffer.from(`${JSON.stringify({ layout, from, ...compression })}\n`)
}

function parse (text: string): BlockSetting {
  const setting = JSON.parse(text) as Record<string, unknown>
  // earlier versions had files alone, and wrote no layout
  const { layout = 'files', from, codec, level } = setting

  if (!isLayout(layout) || (from != null && (!isLayout(from) || from === layout))) {
    throw new TypeError(
      `it knows no layout ${JSON.stringify(layout)}${from == null ? '' : ` from ${JSON.stringify(from)}`}. ` +
        'Use the version of ipfsz that wrote it'
    )
  }

  return {
    layout,
    ...from == null ? {} : { from },
    ...'layout' in setting && codec == null ? {} : { compression: parseCompression(codec, level) }
  }
}

function isLayout (value: unknown): value is BlockLayout {
  return LAYOUTS.has(value)
}

function parseCompression (name: unknown, level: unknown): RepoCompression {
  if (name === 'none') {
    return { codec: name }
  }

  const codec = allCodecs().find(codec => codec.name === name)

  if (codec == null || (level != null && typeof level !== 'number')) {
    throw new TypeError(`there is no codec ${JSON.stringify(name)} with a level of ${JSON.stringify(level)}`)
  }

  return { codec: codec.name, ...level == null ? {} : { level: checkLevel(codec, level) } }
}
