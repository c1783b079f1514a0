import { join } from 'node:path'
import { reading } from './action.ts'
import { parseLines } from './command.ts'
import { bytesOf } from './items.ts'
import { cat, exportCar, getFile, getTree } from './readers.ts'
import { itemsIn } from './world.ts'
import type { Action } from './action.ts'
import type { Chance } from './chance.ts'
import type { Result } from './command.ts'
import type { Item } from './items.ts'
import type { World } from './world.ts'

type Make = (world: World, chance: Chance, slot: number) => Action | undefined

/** The actions with their weights. The weights add up to 25. */
const MAKERS: ReadonlyArray<readonly [number, Make]> = [
  [5, add], [2, addStdin], [2, getFile], [1, getTree], [2, cat], [3, collect], [1, addPins], [3, removePins], [
    2,
    convert
  ], [2, exportCar], [2, importCar]
]
const ALL = MAKERS.flatMap(([times, make]) => Array<Make>(times).fill(make))
/** How blocks are kept. Packs are more frequent, as they are with users. */
const LAYOUTS = ['packs', 'packs', 'files']

/**
 * A random action that can run at the same time as `other`. If both name an item, neither unpins
 * it: the result would depend on which came last.
 */
export function makeAction (world: World, chance: Chance, slot: number, other?: Action): Action {
  for (;;) {
    const action = chance.pick(ALL)(world, chance, slot)

    if (action != null && (other == null || !clash(action, other))) {
      return action.effect === 'reads' ? action : { begins: join(world.repo, 'locks'), ...action }
    }
  }
}

function clash (a: Action, b: Action): boolean {
  return (a.effect === 'unpins' || b.effect === 'unpins') && a.items.some(item => b.items.includes(item))
}

function add (world: World, chance: Chance): Action {
  const first = chance.pick(wanted(world, chance))
  const same = world.items.filter(({ options }) => options.join(' ') === first.options.join(' '))
  const items = chance.part() < 0.6 ? [first] : chance.some(same, 3)

  return {
    ...reading(world, items),
    verb: 'add',
    args: ['add', ...first.options, ...items.map(({ path }) => path)],
    effect: 'pins',
    sure: true
  }
}

function addStdin (world: World, chance: Chance): Action {
  const item = chance.pick(world.items.filter(({ isTree }) => !isTree))

  return {
    ...reading(world, [item]),
    verb: 'add -',
    args: ['add', ...item.options, '-'],
    stdin: bytesOf(item),
    effect: 'pins',
    sure: true
  }
}

function addPins (world: World, chance: Chance): Action {
  const items = chance.some(world.items, 3)

  return {
    ...reading(world, items),
    verb: 'pin add',
    args: ['pin', 'add', ...items.map(({ cid }) => cid)],
    effect: 'pins'
  }
}

function removePins (world: World, chance: Chance): Action | undefined {
  const kept = itemsIn(world, 'kept')
  const items = kept.length === 0 ? [] : chance.some(kept, 3)

  return items.length === 0
    ? undefined
    : {
      ...reading(world, items),
      verb: 'pin rm',
      args: ['pin', 'rm', ...items.map(({ cid }) => cid)],
      effect: 'unpins'
    }
}

function collect (world: World): Action {
  return { ...reading(world, []), verb: 'gc', args: ['gc', '--force'], effect: 'all', sure: true }
}

function convert (world: World, chance: Chance): Action {
  return {
    ...reading(world, []),
    verb: 'convert',
    args: ['blockstore', 'convert', '--layout', chance.pick(LAYOUTS)],
    effect: 'all',
    sure: true
  }
}

function importCar (world: World, chance: Chance): Action {
  const items = [
    ...new Set([chance.pick(wanted(world, chance)), ...chance.part() < 0.3 ? chance.some(world.items, 2) : []])
  ]
  const common = { ...reading(world, items), verb: 'car import', effect: 'pins' as const, sure: true }

  return items.length === 1 && chance.part() < 0.3
    ? { ...common, args: ['car', 'import', '-'], stdin: items[0].car }
    : { ...common, args: ['car', 'import', ...items.map(({ carPath }) => carPath)] }
}

/** Items to add: in 70 % of cases only those that may not be pinned, so that the add has something to write. */
function wanted (world: World, chance: Chance): readonly Item[] {
  const gone = itemsIn(world, 'gone', 'open')

  return gone.length > 0 && chance.part() < 0.7 ? gone : world.items
}

/** Record what an action may do before it acknowledges it. */
export function enterBegin (action: Action, world: World): void {
  for (const item of action.items) {
    if (action.effect === 'unpins' || (action.effect === 'pins' && world.states.get(item) !== 'kept')) {
      world.states.set(item, 'open')
    }

    if (action.effect === 'unpins') {
      world.linked.delete(item)
    }
  }
}

/** Record what an action acknowledged. */
export function enterEnd (action: Action, { stdout }: Result, world: World): void {
  if (action.effect !== 'pins' && action.effect !== 'unpins') {
    return
  }

  // `add` also prints what is in a directory. Only the directory is pinned then, though a file in it may be an item too
  const roots = parseLines(stdout).filter(({ name }) => name?.includes('/') !== true)
  const told = new Set(roots.map(({ cid }) => cid))

  for (const item of action.items.filter(({ cid }) => told.has(cid))) {
    world.states.set(item, action.effect === 'pins' ? 'kept' : 'gone')

    if (action.verb.startsWith('add') && item.original != null) {
      world.linked.add(item)
    }
  }
}
