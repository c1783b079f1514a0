import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun, parseLines, Violation } from './command.ts'
import { expectFile, expectTree } from './expect.ts'
import { bytesOf } from './items.ts'
import { itemsIn } from './world.ts'
import type { Chance } from './chance.ts'
import type { World } from './world.ts'

/** Bytes of packs that may be left without a block: deletions, of blocks in packs that went after them. */
const MAX_EMPTY_SIZE = 1024 * 1024
/** One check in this many collects garbage, so that garbage piles up in between. */
const COLLECTED = 3

/**
 * Check that the repo has everything it must have. Records for each `open` item whether it
 * is pinned.
 *
 * @throws {Violation}
 */
export async function check (world: World, chance: Chance): Promise<void> {
  await checkPins(world)
  const isCollected = chance.below(COLLECTED) === 0

  if (isCollected) {
    await run(world, 'gc', '--force')
    await expectNothingIn(join(world.repo, 'locks'), () => true)
  }

  const kept = itemsIn(world, 'kept')
  await checkLinks(world)

  if (kept.length > 0) {
    // a pinned DAG must be complete, even if its pin was never acknowledged
    await run(world, 'verify', ...kept.map(({ cid }) => cid))
    await checkOne(world, chance)
  }
}

/** Unpin everything at the end. `gc` must then leave no blocks and no locks. */
export async function checkEnd (world: World): Promise<void> {
  await checkPins(world)
  const kept = itemsIn(world, 'kept')

  if (kept.length > 0) {
    await run(world, 'pin', 'rm', ...kept.map(({ cid }) => cid))
  }

  await run(world, 'gc', '--force')
  await expectNothingIn(join(world.repo, 'blocks'), name => name.endsWith('.data'))
  await expectNothingIn(join(world.repo, 'blocks', 'index'), name => name.endsWith('.tmp'))
  await expectNothingIn(join(world.repo, 'locks'), () => true)
  const { blocks, packs } = JSON.parse((await run(world, '--json', 'stats')).toString()) as Counted

  if (blocks > 0 || (packs?.size ?? 0) > MAX_EMPTY_SIZE) {
    throw new Violation(`${blocks} blocks are left, and ${packs?.size ?? 0} bytes of packs`)
  }
}

interface Counted {
  blocks: number
  packs?: { size: number } | undefined
}

async function checkPins (world: World): Promise<void> {
  const listed = new Set(parseLines(await run(world, '--json', 'pin', 'ls')).map(({ cid }) => cid))

  for (const item of world.items) {
    const isListed = listed.delete(item.cid)
    const state = world.states.get(item)

    if (state === (isListed ? 'gone' : 'kept')) {
      throw new Violation(
        isListed ? `${item.name} (${item.cid}) is pinned unexpectedly` : `${item.name} (${item.cid}) has lost its pin`
      )
    }

    world.states.set(item, isListed ? 'kept' : 'gone')
  }

  if (listed.size > 0) {
    throw new Violation(`Pins of unknown CIDs: ${[...listed].join(', ')}`)
  }
}

async function checkLinks (world: World): Promise<void> {
  const listed = new Set(
    parseLines(await run(world, '--json', 'link', 'ls')).map(({ original, compressed }) => `${original} ${compressed}`)
  )

  for (const link of listed) {
    if (!world.links.has(link)) {
      throw new Violation(`Unexpected link: ${link}`)
    }
  }

  for (const { name, original, cid } of world.linked) {
    if (!listed.has(`${original} ${cid}`)) {
      throw new Violation(`The link of ${name} (${original} ${cid}) is lost`)
    }
  }
}

/** Get a pinned item. `get` also deletes the temporary files that killed processes left. */
async function checkOne (world: World, chance: Chance): Promise<void> {
  const item = chance.pick(itemsIn(world, 'kept'))
  const path = join(world.out, 'checked')
  const source = item.original != null && world.linked.has(item) ? item.original : item.cid
  await run(world, 'get', source, '-o', path)
  await (item.isTree ? expectTree(path, item, false) : expectFile(path, [bytesOf(item)]))
  await rm(path, { recursive: true })
  await expectNothingIn(world.out, name => name.endsWith('.tmp'))
}

async function expectNothingIn (directory: string, which: (name: string) => boolean): Promise<void> {
  const found = (await readdir(directory, { recursive: true }).catch(() => [])).filter(which)

  if (found.length > 0) {
    throw new Violation(`Unexpected files in ${directory}: ${found.slice(0, 5).join(', ')}`)
  }
}

async function run (world: World, ...args: string[]): Promise<Buffer> {
  return mustRun(world.directory, world.repo, args)
}
