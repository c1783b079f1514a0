import { openToRead, withReadings } from '../context.ts'
import { nameOf } from '../dag/cid-path.ts'
import { duringStep } from '../events.ts'
import { withTargets } from '../read/read-target.ts'
import { matchesPattern } from './name-pattern.ts'
import { walkContent } from './walk-content.ts'
import type { NodeContext } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { PinRecordError } from '../errors.ts'
import type { WalkedEntry } from './walk-content.ts'
import type { DirectoryEntry } from '@ipfsz/core'

export interface FoundEntry {
  entry: DirectoryEntry
  /** Where it can be read: the text of the target, and the path below it. */
  path: string
}

export interface FindContentOptions {
  /** Only these, instead of whatever matches. */
  type?: 'file' | 'directory' | 'symlink' | undefined
  /** Called for each entry that matches. */
  onFound?: ((found: FoundEntry) => void) | undefined
  /** Called for each of several targets that cannot be listed to its end. The others are. */
  onFailed?: ((target: string, error: Error) => void) | undefined
  /** Called for each pin whose record cannot be read. */
  onDamaged?: ((error: PinRecordError) => void) | undefined
}

/**
 * Find files, directories and symlinks by their names. What is missing is fetched, as `withReading` does.
 *
 * @param pattern - `*` stands for any characters, `?` for one. With a slash, it is compared with the whole path below
 *   the target
 * @param targets - CIDs, names or names of pins, and paths below them. By default all pins
 * @returns how many targets there were, and how many of several failed
 * @throws the error of a target that is the only one
 */
export async function findContent (
  context: NodeContext,
  pattern: string,
  targets: ReadonlyArray<string | CidPath> = [],
  options: FindContentOptions = {}
): Promise<{ targets: number, failed: number }> {
  const texts = targets.length === 0 ? await pinned(context, options) : targets
  let failed = 0

  await duringStep(context, { task: 'find', name: pattern, unit: 'entries' }, async progress =>
    withTargets(context, texts, async (found, access) =>
      withReadings(context, async read => {
        for (const target of found) {
          try {
            const reading = read(target.cid, { path: target.path, scope: 'block' })
            const walk = walkContent(target, reading.files, { signal: context.signal })
            await findBelow(target, pattern, walk, { ...options, onEntry: () => { progress.add(1) } })
          } catch (err) {
            if (context.signal.aborted || texts.length === 1 || !(err instanceof Error)) {
              throw err
            }

            options.onFailed?.(target.text, err)
            failed++
          }
        }
      }, { access })))

  return { targets: texts.length, failed }
}

async function findBelow (
  target: CidPath,
  pattern: string,
  walk: AsyncIterable<WalkedEntry>,
  { type, onFound, onEntry }: FindContentOptions & { onEntry: () => void }
): Promise<void> {
  const text = target.text.replace(/\/+$/, '')

  for await (const { entry, path } of walk) {
    onEntry()

    if (matchesPattern(pattern, path === '' ? nameOf(target) : path) && (type == null || typeOf(entry) === type)) {
      onFound?.({ entry, path: path === '' ? text : `${text}/${path}` })
    }
  }
}

async function pinned (context: NodeContext, { onDamaged }: FindContentOptions): Promise<CidPath[]> {
  const { pins } = await openToRead(context)
  const targets: CidPath[] = []

  for await (const { cid, name } of pins.ls(context.signal, onDamaged)) {
    targets.push({ cid, path: '', text: cid.toString(), ...name == null ? {} : { label: name } })
  }

  return targets
}

function typeOf ({ type, unixfs }: DirectoryEntry): FindContentOptions['type'] {
  if (unixfs?.type === 'symlink') {
    return 'symlink'
  }

  return type === 'directory' ? type : 'file'
}
