import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { whenNpxEnds } from '../src/lost-npx.ts'

const NPX = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'ipfsz'" }
const LONG = 60_000

let parent = 0

beforeEach(() => {
  parent = 1000
  vi.useFakeTimers()
  vi.spyOn(process, 'ppid', 'get').mockImplementation(() => parent)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it.skipIf(process.platform === 'win32')('ends the command once, after the shell of npx', () => {
  const end = vi.fn()
  whenNpxEnds(NPX, end)

  vi.advanceTimersByTime(LONG)
  expect(end).not.toHaveBeenCalled()

  parent = 1
  vi.advanceTimersByTime(LONG)
  expect(end).toHaveBeenCalledTimes(1)
})

it.each([
  ['a shell', {}],
  ['a script of npm', { npm_lifecycle_event: 'start', npm_lifecycle_script: 'ipfsz' }],
  ['a line that npx runs', { ...NPX, npm_lifecycle_script: 'ipfsz daemon &' }]
])('lets the command outlive %s', (_, env) => {
  const end = vi.fn()
  whenNpxEnds(env, end)

  parent = 1
  vi.advanceTimersByTime(LONG)
  expect(end).not.toHaveBeenCalled()
})
