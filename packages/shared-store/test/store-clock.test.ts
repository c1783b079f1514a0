import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../src/clock.ts'

it('warns of nothing if a time is over, as after a suspension', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => { warn.mockRestore() })

  await new Promise<void>(resolve => { systemClock.after(-42, resolve) })

  expect(warn).not.toHaveBeenCalled()
})
