/** @module-tag nightly */
// the model imports no source: only what it is made of can change what it finds
import { describe, expect, it } from 'vitest'
import { explore } from './store-model.ts'
import type { ModelInit, Mutant } from './store-model.ts'

/** A session stores a block that is garbage and one that is not there, while a node collects twice. */
const ONE_SESSION: ModelInit = { dags: [0b11], pins: [0], garbage: 0b01, collectors: 1, collections: 2 }
/** Two sessions add the same file while a node collects. */
const TWO_SESSIONS: ModelInit = { dags: [0b01, 0b01], pins: [0, 0], garbage: 0b01, collectors: 1, collections: 1 }
/** A session adds while two nodes collect, each of which may clean up what the other one left. */
const TWO_COLLECTORS: ModelInit = { dags: [0b01], pins: [0], garbage: 0b01, collectors: 2, collections: 1 }

/** Two sessions add different files that share a block. */
const TWO_FILES: ModelInit = { dags: [0b11, 0b01], pins: [0, 1], garbage: 0b01, collectors: 1, collections: 1 }
const TWO_FILES_TWICE: ModelInit = { dags: [0b01, 0b01], pins: [0, 1], garbage: 0b01, collectors: 1, collections: 2 }

/** For each step that protects blocks, where a block is lost without it. */
const MUTANTS: Record<Mutant, ModelInit> = {
  'the collector waits for no session': ONE_SESSION,
  'the collector lists sessions before it writes the round': ONE_SESSION,
  'the collector does not look at the pins again': ONE_SESSION,
  'the collector looks at the pins again before it has waited': ONE_SESSION,
  'the collector ignores objections': ONE_SESSION,
  'the collector does not look for a fence before it deletes': ONE_SESSION,
  'the collector looks for the round before the fence': TWO_COLLECTORS,
  'the collector ends a round while a delete is under way': ONE_SESSION,
  'the collector has sent a delete of the name of its round before': ONE_SESSION,
  'a clean-up does not wait for deletes': TWO_COLLECTORS,
  'a clean-up deletes the fence before the round': TWO_COLLECTORS,
  'a session lists rounds before it writes its object': ONE_SESSION,
  'a session does not wait with condemned blocks': ONE_SESSION,
  'a session looks for a block before it waits': ONE_SESSION,
  'a session does not look for its object after the pin': ONE_SESSION,
  'a session writes its object again': ONE_SESSION,
  'a session takes its pin back when it was fenced': TWO_SESSIONS,
  'a session does not wait after it fenced a round': ONE_SESSION
}

/** What must have happened somewhere: a model in which nothing is deleted loses nothing either. */
const STEPS = [
  'session finds', 'session puts', 'session acknowledges', 'session acknowledges a round', 'session is lost',
  'somebody evicts a session', 'session fences a round', 'session takes a fenced round as over',
  'collector reads an acknowledgement', 'collector finds no session', 'collector fences a session',
  'collector is fenced', 'collector is killed', 'the store deletes', 'collector ends a round'
]

describe('the model of collections beside sessions', () => {
  it.each([
    ['one session and two collections', ONE_SESSION],
    ['two sessions that add the same file', TWO_SESSIONS],
    ['two collectors', TWO_COLLECTORS],
    ['one session, deletes that may arrive at any time', { ...ONE_SESSION, refusesLate: true }]
  ])('loses no acknowledged block in any order of steps: %s', (_, init) => {
    const { counterexample, steps, states } = explore(init)

    expect(counterexample).toBeUndefined()
    expect(STEPS.filter(step => !steps.has(step))).toEqual([])
    expect(states).toBeGreaterThan(5000)
  })

  it.each([
    ['two sessions with a file each', TWO_FILES],
    ['two sessions with a file each, and two collections', TWO_FILES_TWICE],
    ['two collectors, deletes that may arrive at any time', { ...TWO_COLLECTORS, refusesLate: true }]
  ])('loses no acknowledged block in any order of more steps: %s', (_, init) => {
    expect(explore(init).counterexample).toBeUndefined()
  })

  it.each([
    ['a clean-up does not wait for deletes', TWO_COLLECTORS],
    ['a session does not wait after it fenced a round', ONE_SESSION]
  ] as const)('finds a lost block if %s, although the store refuses late deletes', (mutant, init) => {
    expect(explore({ ...init, refusesLate: true, mutant }).counterexample).toBeDefined()
  })

  it.each(Object.entries(MUTANTS))('finds a lost block if %s', (mutant, init) => {
    expect(explore({ ...init, mutant: mutant as Mutant }).counterexample).toBeDefined()
  })
})
