/** @module-tag nightly */
// the model imports no source: only what it is made of can change what it finds
import { describe, expect, it } from 'vitest'
import { explorePacks } from './pack-model.ts'
import type { PackModelInit, PackMutant } from './pack-model.ts'

/** A session stores a block that is garbage, in a pack with a pinned one, while a node collects. */
const PARTLY_LIVE: PackModelInit = {
  dags: [0b01], pins: [0], packs: [0b11], pinned: 0b10, collectors: 1, collections: 1
}
/** A session stores a block that is garbage, while a node collects twice. */
const GARBAGE: PackModelInit = { dags: [0b01], pins: [0], packs: [0b01], pinned: 0, collectors: 1, collections: 2 }
/** Two sessions add the same file while a node collects. */
const TWO_SESSIONS: PackModelInit = {
  dags: [0b01, 0b01], pins: [0, 0], packs: [0b01], pinned: 0, collectors: 1, collections: 1
}
/** Two nodes collect, each of which may complete what the other one left. A pinned block is in two packs. */
const TWO_COLLECTORS: PackModelInit = {
  dags: [], pins: [], packs: [0b01, 0b01], pinned: 0b01, collectors: 2, collections: 1
}
/**
 * A session adds while a node collects, and another one completes what that leaves. Only the garbage is condemned, and
 * no living session is evicted.
 */
const ADD_AND_TAKE_OVER: PackModelInit = {
  dags: [0b01],
  pins: [0],
  packs: [0b01],
  pinned: 0,
  collectors: 2,
  collections: 1,
  leftOut: { packs: [0b11110, 0b11111], evictions: true }
}

/** For each step that protects blocks, where a block is lost without it. */
const MUTANTS: Record<PackMutant, PackModelInit> = {
  'the collector waits for no session': GARBAGE,
  'the collector lists sessions before it writes the round': GARBAGE,
  'the collector does not look at the pins again': GARBAGE,
  'the collector looks at the pins again before it has waited': GARBAGE,
  'the collector ignores objections': GARBAGE,
  'the collector copies nothing': PARTLY_LIVE,
  'the collector copies after it has deleted': PARTLY_LIVE,
  'the collector counts on condemned packs': TWO_COLLECTORS,
  'the collector does not look for its session before it deletes': TWO_COLLECTORS,
  'the collector ends a round before its packs are gone': GARBAGE,
  'a clean-up ends the round of a collector': GARBAGE,
  'a session lists rounds before it writes its object': GARBAGE,
  'a session lists packs before it lists rounds': GARBAGE,
  'a session relies on condemned packs': GARBAGE,
  'a session does not rely on its own pack': GARBAGE,
  'a session confirms before its pack is stored': GARBAGE,
  'a session does not look for its object after the pin': GARBAGE,
  'a session writes its object again': GARBAGE,
  'a session takes its pin back when it was fenced': TWO_SESSIONS,
  'a session gives its pack the name of one that was deleted': GARBAGE
}

/** What must have happened somewhere: a model in which nothing is deleted loses nothing either. */
const STEPS = ['the store deletes a pack', 'a collector ends a round', 'a collector copies blocks']

const OF_SESSIONS = [
  'a session finds a block', 'a session keeps a block for its pack', 'a session stores its pack', 'a session confirms',
  'a session acknowledges a round', 'a session is lost', 'a collector reads an acknowledgement',
  'a collector finds no session', 'a collector fences a session', 'a collector leaves a round'
]

describe('the model of collections of packs beside sessions', () => {
  it.each([
    ['a pack that is partly pinned', PARTLY_LIVE, OF_SESSIONS],
    ['garbage, and two collections', GARBAGE, [...OF_SESSIONS, 'a collector takes over a round']],
    ['two collectors', TWO_COLLECTORS, ['a collector is lost', 'a collector takes over a round']]
  ])('loses no acknowledged block in any order of steps: %s', (_, init, more) => {
    const { counterexample, steps, states } = explorePacks(init)

    expect(counterexample).toBeUndefined()
    expect([...STEPS, ...more].filter(step => !steps.has(step))).toEqual([])
    expect(states).toBeGreaterThan(5000)
  })

  it.each([
    ['two sessions that add the same file', TWO_SESSIONS],
    ['a session and two collectors', ADD_AND_TAKE_OVER]
  ])('loses no acknowledged block in any order of more steps: %s', (_, init) => {
    expect(explorePacks(init).counterexample).toBeUndefined()
  })

  it.each(Object.entries(MUTANTS))('finds a lost block if %s', (mutant, init) => {
    expect(explorePacks({ ...init, mutant: mutant as PackMutant }).counterexample).toBeDefined()
  })
})
