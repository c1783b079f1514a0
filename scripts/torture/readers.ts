import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { reading } from './action.ts'
import { Violation } from './command.ts'
import { expectFile, expectTree } from './expect.ts'
import { bytesOf } from './items.ts'
import { itemsIn } from './world.ts'
import type { Action } from './action.ts'
import type { Chance } from './chance.ts'
import type { Item } from './items.ts'
import type { World } from './world.ts'

export function cat (world: World, chance: Chance): Action {
  const item = pick(world, chance, ({ isTree }) => !isTree)
  const expected = bytesOf(item)

  return {
    ...reading(world, [item]),
    verb: 'cat',
    args: ['cat', item.original != null && world.linked.has(item) && chance.part() < 0.5 ? item.original : item.cid],
    async check ({ stdout, code }) {
      if (
        !stdout.equals(expected.subarray(0, stdout.byteLength)) || (
          code === 0 && stdout.byteLength !== expected.byteLength
        )
      ) {
        throw new Violation(
          `cat of ${item.name} wrote wrong or too few bytes (${stdout.byteLength} of ` +
            `${expected.byteLength}), and ended with ${code ?? 'SIGKILL'}`
        )
      }
    }
  }
}

/** Get a file to a path that usually has a file of an earlier step. */
export function getFile (world: World, chance: Chance, slot: number): Action {
  const item = pick(world, chance, ({ isTree }) => !isTree)
  const expected = bytesOf(item)
  const path = join(world.out, `file-${slot}`)
  const before = world.written.get(path)

  return {
    ...reading(world, [item]),
    verb: 'get',
    begins: world.out,
    args: ['get', item.cid, '-o', path, '--force'],
    async check ({ code }) {
      const now = await expectFile(path, code === 0 ? [expected] : [expected, before])

      if (now != null) {
        world.written.set(path, now)
      }
    }
  }
}

export function getTree (world: World, chance: Chance, slot: number): Action {
  const item = pick(world, chance, ({ isTree }) => isTree)
  const path = join(world.out, `tree-${slot}`)

  return {
    ...reading(world, [item]),
    verb: 'get tree',
    begins: world.out,
    args: ['get', item.cid, '-o', path],
    async check ({ code }) {
      await expectTree(path, item, code !== 0)
      await rm(path, { recursive: true, force: true })
    }
  }
}

export function exportCar (world: World, chance: Chance, slot: number): Action {
  const item = pick(world, chance, () => true)
  const path = join(world.out, `car-${slot}`)

  return {
    ...reading(world, [item]),
    verb: 'car export',
    begins: world.out,
    args: ['car', 'export', '-o', path, item.cid],
    async check ({ code }) {
      // a CAR is the same every time, because its blocks are in the order of the walk
      await expectFile(path, code === 0 ? [item.car] : [item.car, undefined])
      await rm(path, { force: true })
    }
  }
}

/** Mostly a pinned item, sometimes one that may be missing or incomplete. */
function pick (world: World, chance: Chance, which: (item: Item) => boolean): Item {
  const kept = itemsIn(world, 'kept').filter(which)

  return chance.pick(kept.length > 0 && chance.part() < 0.9 ? kept : world.items.filter(which))
}
