import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun, parseLines } from './command.ts'
import { makeItems } from './items.ts'
import type { Item } from './items.ts'

/**
 * What is known about an item:
 *
 * - `kept`: its pin was acknowledged, and no process has begun to unpin it
 * - `gone`: it is not pinned, and no process has begun to pin it
 * - `open`: a process has begun to pin or unpin it, but has not acknowledged it
 */
export type State = 'kept' | 'gone' | 'open'

/** A repo, what it may hold, and what it must hold. */
export interface World {
  directory: string
  repo: string
  /** The directory that `get` and `car export` write to. */
  out: string
  items: readonly Item[]
  states: Map<Item, State>
  /** Items whose link was acknowledged since they were last unpinned. */
  linked: Set<Item>
  /** Every link that may exist, as `original compressed`. */
  links: ReadonlySet<string>
  /** The content of each written file, by its path. */
  written: Map<string, Uint8Array>
}

/** Make the sources, and a repo with half of them in it. */
export async function makeWorld (directory: string): Promise<World> {
  const repo = join(directory, 'repo')
  const out = join(directory, 'out')
  const items = await makeItems(directory)
  const links = parseLines(await mustRun(directory, join(directory, 'reference'), ['--json', 'link', 'ls']))
  const added = items.filter((_, i) => i % 2 === 0)
  await mkdir(out)

  for (const { options, path } of added) {
    await mustRun(directory, repo, ['add', ...options, path])
  }

  return {
    directory,
    repo,
    out,
    items,
    states: new Map(items.map(item => [item, added.includes(item) ? 'kept' : 'gone'])),
    linked: new Set(added.filter(({ original }) => original != null)),
    links: new Set(links.map(({ original, compressed }) => `${original} ${compressed}`)),
    written: new Map()
  }
}

export function itemsIn (world: World, ...states: State[]): Item[] {
  return world.items.filter(item => states.includes(world.states.get(item) ?? 'gone'))
}
