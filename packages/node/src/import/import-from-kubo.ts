import { DerivedBlockstore, importDag } from '@ipfsz/core/originals'
import { withRepo } from '../context.ts'
import { findDaemon, tellDaemon } from '../daemon/tell-daemon.ts'
import { walkDag } from '../dag/dag-walk.ts'
import { UsageError } from '../errors.ts'
import { duringStep } from '../events.ts'
import { withTargets } from '../read/read-target.ts'
import { OriginalsStore } from '../repo/originals-store.ts'
import type { NodeContext, Session } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { KuboSource } from '../kubo/kubo.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { ImportedDag } from '@ipfsz/core/originals'
import type { CID } from 'multiformats/cid'

/** What became of a root. */
export type ImportedPin =
  | { original: CID, state: 'there' }
  | { original: CID, state: 'imported', imported: ImportedDag }

export interface ImportFromKuboOptions {
  /**
   * Unpin in Kubo what is imported, after all of its blocks were read back from this repo.
   *
   * @default false
   */
  replace?: boolean | undefined
  /** How to compress. */
  compression?: CompressionOptions | undefined
  /** Called for each root once it is pinned here. */
  onImported?: ((pin: ImportedPin) => void) | undefined
  /** Called for each of several roots that was not imported, or not unpinned in Kubo. The others are. */
  onFailed?: ((root: CID, error: Error) => void) | undefined
}

export interface ImportedPins {
  /** How many roots were not imported, or not unpinned in Kubo. */
  failed: number
  /** How many were unpinned in Kubo. */
  moved: number
}

interface Root {
  cid: CID
  name?: string | undefined
}

/**
 * Copy what a Kubo has pinned into the repo, compressed, so that a daemon that serves originals answers to the same
 * CIDs. What was imported before is not read again.
 *
 * With `replace`, what the repo answers for is unpinned in Kubo: Kubo's own collection then deletes it.
 *
 * @param kubo - the address of the RPC API of a running Kubo, or the directory of its repo, which has that address
 * @param texts - the CIDs, names or names of pins to import, by default all recursive pins
 * @throws {UsageError} a path leads below a root, or the address is none
 */
export async function importFromKubo (
  context: NodeContext,
  kubo: string,
  texts: ReadonlyArray<string | CidPath> = [],
  { replace = false, compression = {}, onImported, onFailed }: ImportFromKuboOptions = {}
): Promise<ImportedPins> {
  const { signal } = context
  const named = await withTargets(context, texts, async targets => targets.map(rootOf))
  const { openKuboSource } = await import('../kubo/kubo.ts')
  const source = await openKuboSource(kubo, signal)
  let failed = 0
  let moved = 0

  /** Do something about a root. The others go on if it fails. */
  const attempt = async (root: CID, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (err) {
      if (signal.aborted || !(err instanceof Error) || named.length === 1) {
        throw err
      }

      onFailed?.(root, err)
      failed++
    }
  }

  await withRepo(context, { lock: 'add', links: true }, async session => {
    const store = new OriginalsStore(session.repo.path, { writes: true })
    const replaced: CID[] = []

    try {
      for await (const root of named.length > 0 ? named.map(cid => ({ cid })) : source.pins(signal)) {
        await attempt(root.cid, async () => {
          await importRoot(root, { source, store, compression, onImported }, session, context)

          if (replace) {
            await checkServed(root.cid, store, session, context)
            replaced.push(root.cid)
          }
        })
      }

      // not before: while Kubo lists its pins, it removes none
      for (const root of replaced) {
        await attempt(root, async () => {
          await source.unpin(root, signal)
          moved++
        })
      }
    } finally {
      await store.close()
    }
  })

  return { failed, moved }
}

function rootOf ({ cid, path, text }: CidPath): CID {
  if (path.split('/').some(Boolean)) {
    throw new UsageError(`"${text}" has a path below a CID: only whole DAGs can be imported, so pass the CID alone`)
  }

  return cid
}

interface Import extends Pick<ImportFromKuboOptions, 'compression' | 'onImported'> {
  source: KuboSource
  store: OriginalsStore
}

async function importRoot (
  { cid: original, name }: Root,
  { source, store, compression, onImported }: Import,
  { repo, links, pins }: Session,
  context: NodeContext
): Promise<void> {
  const { signal } = context

  if (await pins.has(original)) {
    onImported?.({ original, state: 'there' })
    return
  }

  const step = { task: 'import', name: original.toString(), unit: 'bytes' } as const
  const imported = await duringStep(context, step, async progress => importDag(original, source.blockstore, {
    blockstore: repo.blockstore,
    // opened, as the work writes links
    links: links as NonNullable<typeof links>,
    datastore: store
  }, { compression, signal, onBytes: progress.add }))
  // a call that was killed may have written some of its blocks, and not synced their names
  await pins.check(imported.cid, signal, { leaves: 'has' })
  const [error] = await pins.addNew([{ cid: imported.cid, name }])

  if (error != null) {
    throw error
  }

  onImported?.({ original, state: 'imported', imported })
  await tellDaemon(await findDaemon(repo.path), [imported.cid], context)
}

/**
 * Read every block of an original from the repo alone, compared with its CID, as strangers will who ask for it.
 *
 * @throws {DamagedDagError} the repo does not have one
 */
async function checkServed (
  original: CID,
  store: OriginalsStore,
  { repo }: Session,
  context: NodeContext
): Promise<void> {
  const derived = new DerivedBlockstore(repo.blockstore, { datastore: store, bytesPerSecond: Infinity })

  await duringStep(context, { task: 'check', name: original.toString(), unit: 'blocks' }, async progress => {
    for await (const _ of walkDag(original, derived, { signal: context.signal, leaves: 'read' })) {
      progress.add(1)
    }
  })
}
