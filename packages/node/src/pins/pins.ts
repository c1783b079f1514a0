import { isIdentity } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { openToRead, withRepo } from '../context.ts'
import { findDaemon, tellDaemon } from '../daemon/tell-daemon.ts'
import { duringStep } from '../events.ts'
import { cidsAt, withTargets } from '../read/read-target.ts'
import type { NodeContext, Session } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { PinRecordError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/** What to pin or unpin: a CID, a name or the name of a pin, and a path below it. */
export type PinTarget = string | CidPath

export interface PinInfo {
  /** The CID that was pinned: marked or plain. */
  cid: CID
  plainCid: CID
  /** The name of the file or directory that it was pinned for. */
  name?: string | undefined
  /** How many levels below the root it keeps. Infinity, unless Helia made it. */
  depth: number
  /** With `long`: original size in bytes, if the repo has the blocks that state it. */
  size?: bigint | undefined
  /** With `long`: stored size in bytes, if the repo has the blocks that state it. */
  storedSize?: bigint | undefined
  /** With `long`: when it was pinned last. */
  pinnedAt?: Date | undefined
}

export interface AddPinsOptions {
  /** Called for each target. `isPinned` is false for a CID that contains all its bytes, and needs no pin. */
  onPin?: ((pin: { cid: CID, isPinned: boolean }) => void) | undefined
}

/**
 * Pin what CIDs, names and paths lead to. All blocks must be in the repo: they are read, and synced to disk.
 *
 * @throws {DamagedDagError} a block is missing or damaged. Those before it are pinned
 * @throws {RepoError} there is no repo
 */
export async function addPins (
  context: NodeContext,
  targets: readonly PinTarget[],
  { onPin }: AddPinsOptions = {}
): Promise<void> {
  const { signal } = context

  await withTargets(context, targets, async found =>
    withRepo(context, { lock: 'add', existing: true }, async ({ files, pins, repo }) => {
      const cids = await cidsAt(found, files, signal)

      for (const cid of cids) {
        if (isIdentity(cid) && cid.code === raw.code) {
          // as in an imported CAR; besides, the name of its record could be too long
          onPin?.({ cid, isPinned: false })
          continue
        }

        await duringStep(context, { task: 'check', name: cid.toString(), unit: 'blocks' }, async progress =>
          pins.add(cid, signal, { onBlocks: progress.add }))
        onPin?.({ cid, isPinned: true })
      }

      await tellDaemon(await findDaemon(repo.path), cids, context)
    }))
}

export interface RemovePinsOptions {
  /** Called for each pin that is gone. */
  onUnpin?: ((cid: CID) => void) | undefined
}

/**
 * Unpin what CIDs, names and paths lead to. The next collection deletes their blocks, unless another pin needs them.
 *
 * @throws {NotPinnedError} one is not pinned. Those before it no longer are
 * @throws {RepoError} there is no repo
 */
export async function removePins (
  context: NodeContext,
  targets: readonly PinTarget[],
  { onUnpin }: RemovePinsOptions = {}
): Promise<void> {
  await withTargets(context, targets, async found =>
    // locked: a running collection has already chosen what to keep
    withRepo(context, { lock: 'add', existing: true, removes: true }, async ({ files, pins }) => {
      for (const cid of await cidsAt(found, files, context.signal)) {
        await pins.rm(cid)
        onUnpin?.(cid)
      }
    }))
}

export interface ListPinsOptions {
  /**
   * Whether to find out sizes and dates, too.
   *
   * @default false
   */
  long?: boolean | undefined
  /** Called with the error of each record that cannot be read: these pins are left out. By default it is thrown. */
  onDamaged?: ((err: PinRecordError) => void) | undefined
}

/**
 * List pins, in no particular order.
 *
 * @throws {PinRecordError} a record cannot be read, and there is no `onDamaged`
 * @throws {RepoError} there is no repo
 */
export async function * listPins (
  context: NodeContext,
  { long = false, onDamaged }: ListPinsOptions = {}
): AsyncGenerator<PinInfo> {
  const session = await openToRead(context)

  for await (const pin of session.pins.ls(context.signal, onDamaged)) {
    yield long ? { ...pin, ...await describePin(pin.cid, session, context.signal) } : pin
  }
}

/** The sizes of what is pinned, as far as the repo has the blocks that state them, and the date of the pin. */
async function describePin (
  cid: CID,
  { files, pins }: Pick<Session, 'files' | 'pins'>,
  signal: AbortSignal
): Promise<Pick<PinInfo, 'size' | 'storedSize' | 'pinnedAt'>> {
  const { size: found, storedSize, sizeKnown } = await files.stat(cid, { extended: true, offline: true, signal })
    .catch((): { size?: bigint, storedSize?: bigint, sizeKnown?: boolean } => ({}))
  signal.throwIfAborted()

  return { size: sizeKnown === false ? undefined : found, storedSize, pinnedAt: await pins.pinnedAt(cid) }
}
