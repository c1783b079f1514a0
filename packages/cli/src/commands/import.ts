import { DerivedBlockstore, importDag } from '@ipfsz/core/originals'
import { nodeContext, withRepo } from '../context.ts'
import { resolvePath } from '../io.ts'
import { walkDag } from '@ipfsz/node/internal/dag/dag-walk'
import { findDaemon, tellDaemon } from '@ipfsz/node/internal/daemon/tell-daemon'
import { explain, IncompleteError, UsageError } from '../errors.ts'
import { OriginalsStore } from '@ipfsz/node/internal/repo/originals-store'
import { counter } from '../terminal/progress.ts'
import { count } from '../terminal/units.ts'
import { withTargets } from './read-target.ts'
import type { Context, Session } from '../context.ts'
import type { KuboSource } from '@ipfsz/node/internal/kubo/kubo'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { CompressionOptions } from '@ipfsz/core'
import type { ImportedDag } from '@ipfsz/core/originals'
import type { CID } from 'multiformats/cid'

export interface ImportCommandOptions {
  /** The address of the RPC API of a running Kubo, or the directory of its repo, which has that address. */
  fromKubo: string
  /** Unpin in Kubo what is imported. */
  replace: boolean
  compression: CompressionOptions
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
 * @param texts - the CIDs or names to import, by default all recursive pins
 */
export async function importFromKubo (
  texts: string[],
  { fromKubo, replace, compression }: ImportCommandOptions,
  context: Context
): Promise<void> {
  const { signal, io, output } = context
  const named = await withTargets(texts, context, async targets => targets.map(rootOf))
  const { openKuboSource } = await import('@ipfsz/node/internal/kubo/kubo')
  const source = await openKuboSource(fromKubo.includes('://') ? fromKubo : resolvePath(fromKubo, io), signal)
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

      output.error(`${root}: ${explain(err)}`, err)
      failed++
    }
  }

  await withRepo(context, { lock: 'add', links: true }, async session => {
    const store = new OriginalsStore(session.repo.path, { writes: true })
    const replaced: CID[] = []

    try {
      for await (const root of named.length > 0 ? named.map(cid => ({ cid })) : source.pins(signal)) {
        await attempt(root.cid, async () => {
          await importRoot(root, { source, store, compression }, session, context)

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

    if (moved > 0) {
      output.note(`${count(moved, 'pin')} moved here from Kubo: ipfs repo gc deletes their blocks there`)
    }
  })

  if (failed > 0) {
    throw new IncompleteError(`${count(failed, 'pin')} were not imported: see the errors above`)
  }
}

/** @throws {UsageError} the path leads below the root */
function rootOf ({ cid, path, text }: CidPath): CID {
  if (path.split('/').some(Boolean)) {
    throw new UsageError(`"${text}" has a path below a CID: only whole DAGs can be imported, so pass the CID alone`)
  }

  return cid
}

interface Import {
  source: KuboSource
  store: OriginalsStore
  compression: CompressionOptions
}

async function importRoot (
  { cid: original, name }: Root,
  { source, store, compression }: Import,
  { repo, links, pins }: Session,
  context: Context
): Promise<void> {
  const { output, signal } = context

  if (await pins.has(original)) {
    output.row(
      { original: original.toString(), cid: original.toString(), state: 'there' },
      [original.toString(), 'is here']
    )
    return
  }

  const progress = output.progress(`importing ${original}`)
  const imported = await importDag(original, source.blockstore, {
    blockstore: repo.blockstore,
    // opened, as the work writes links
    links: links as NonNullable<typeof links>,
    datastore: store
  }, { compression, signal, onBytes: counter(progress) }).finally(() => progress.end())
  // a call that was killed may have written some of its blocks, and not synced their names
  await pins.check(imported.cid, signal, { leaves: 'has' })
  const [error] = await pins.addNew([{ cid: imported.cid, name }])

  if (error != null) {
    throw error
  }

  report(original, imported, context)
  await tellDaemon(await findDaemon(repo.path), [imported.cid], nodeContext(context))
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
  { output, signal }: Context
): Promise<void> {
  const derived = new DerivedBlockstore(repo.blockstore, { datastore: store, bytesPerSecond: Infinity })
  const progress = output.progress(`checking ${original}`, undefined, 'block')
  const onBlocks = counter(progress)

  try {
    for await (const _ of walkDag(original, derived, { signal, leaves: 'read' })) {
      onBlocks(1)
    }
  } finally {
    progress.end()
  }
}

function report (original: CID, { cid, compressed, unknown, plain }: ImportedDag, { output }: Context): void {
  output.row(
    { original: original.toString(), cid: cid.toString(), compressed, plain, unknown, state: 'imported' },
    [
      original.toString(),
      cid.toString(),
      `${count(compressed, 'file')} compressed, ${count(plain + unknown, 'file')} not compressed`
    ]
  )

  if (unknown > 0) {
    output.note(
      `${count(unknown, 'file')} of ${original} stayed uncompressed: no known importer settings produce their CIDs`
    )
  }
}
